// Somebody signs in at a real identity provider with a real browser: in, asking, losing a group, and out by either door.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

// Answered by web/tests/sign_in, which only finance may see, and by nothing in the handbook.
const QUESTION = 'What is the code name of the sale of the northern warehouse?';
const SECRET = 'Bluefin';
const PATIENCE = 60_000;
const provider = needed('IBIDEM_STACK_OIDC');
const binary = needed('IBIDEM_PAGES_BINARY');
const tenant = needed('IBIDEM_PAGES_TENANT');

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run stack/up --with oidc, then .ci/pages check`);
  return value;
}

function ibidem(...argv) {
  const { status, stderr } = spawnSync(binary, argv, { encoding: 'utf8' });
  assert.equal(status, 0, `ibidem ${argv.join(' ')}: ${stderr}`);
}

/** What the group gives from the next request on. */
function map(group, ...tags) {
  ibidem('groups', 'map', group, '--tenant', tenant, ...(tags.length > 0 ? ['--tags', tags.join(',')] : []));
}

/** Somebody whom no other run knows, with these groups at the provider. */
async function somebody(name, groups) {
  const login = `${name}-${tenant}`;
  const reply = await fetch(`${provider}/people/${login}`, { method: 'PUT', body: JSON.stringify({ name, groups }) });
  assert.equal(reply.status, 204);
  return login;
}

/** A port that was free a moment ago. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A client of the provider, which must know where browsers and logouts come back to. */
async function registered(url) {
  const described = {
    client_name: 'pages',
    redirect_uris: [`${url}/auth/callback`],
    post_logout_redirect_uris: [`${url}/`],
    backchannel_logout_uri: `${url}/auth/backchannel-logout`,
    backchannel_logout_session_required: true,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
  };
  const headers = { 'Content-Type': 'application/json' };
  const reply = await fetch(`${provider}/reg`, { method: 'POST', headers, body: JSON.stringify(described) });
  assert.equal(reply.status, 201, await reply.clone().text());
  return reply.json();
}

/** A server with sign-in. Another program may take its port before it does: then another is tried. */
async function serving() {
  let said = '';
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const client = await registered(url);
    const settings = {
      IBIDEM__SIGN_IN__ISSUER: provider,
      IBIDEM__SIGN_IN__CLIENT_ID: client.client_id,
      IBIDEM__SIGN_IN__CLIENT_SECRET: client.client_secret,
      IBIDEM__SIGN_IN__PUBLIC_URL: url,
      IBIDEM__SIGN_IN__TENANT: tenant,
      IBIDEM__SIGN_IN__SCOPES: 'openid,profile,email,groups',
      IBIDEM__SIGN_IN__TIMEOUT_MS: '30000',
    };
    const server = spawn(binary, ['serve', '--listen', `127.0.0.1:${port}`], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    said = '';
    const listens = await new Promise((resolve) => {
      server.stderr.on('data', (piece) => {
        said += piece;
        if (said.includes('listening on ')) resolve(true);
      });
      server.on('exit', () => resolve(false));
    });
    if (listens) return { url, server, client };
  }
  throw new Error(`the server did not start: ${said}`);
}

/** A browser's own window. `tripped` is what should not have happened on our pages. */
async function windowOf(browser) {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE);
  const tripped = [];
  const isOurs = (address) => address.startsWith(`${url}/`);
  // The provider's pages want a typeface from elsewhere; nothing here goes to another host.
  await context.route(
    (address) => address.hostname !== '127.0.0.1',
    (route) => {
      if (isOurs(route.request().frame().url())) tripped.push(`request: ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on('console', (message) => isOurs(message.location().url) && tripped.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => isOurs(page.url()) && tripped.push(`error: ${error.message}`));
  return { context, page, tripped };
}

/** From the page's door through the provider's pages, and back. */
async function signIn(page, login, name, path = '/') {
  await page.goto(`${url}${path}`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(name, { exact: true }).waitFor();
  assert.equal(page.url(), `${url}/`);
}

async function statusOf(page) {
  return page.evaluate(async () => (await fetch('/auth/me')).status);
}

const tests = {
  async 'sign in at the provider, ask, and sign out in both places'(browser) {
    const { context, page, tripped } = await windowOf(browser);
    const login = await somebody('Ada', ['staff', 'finance']);
    const nobody = crypto.randomUUID();
    await signIn(page, login, 'Ada', `/#/passage/${nobody}/0`);
    // What the address led to is not lost on the way.
    await page.getByText('The document is no longer there').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const [session, ...others] = (await context.cookies(url)).filter(({ name }) => name.startsWith('ibidem-'));
    assert.deepEqual(others, [], 'the cookie of the sign-in is taken back');
    assert.deepEqual([session.name, session.httpOnly, session.sameSite], ['ibidem-session', true, 'Lax']);
    assert.equal(await page.evaluate(() => document.cookie.includes('ibidem-session')), false);
    await accessible(page, 'signed in');
    const turn = await ask(page, QUESTION);
    await turn.getByText(/^Answered from/).waitFor();
    assert.match(await turn.innerText(), new RegExp(SECRET));

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.equal(page.url(), `${url}/`);
    assert.equal(await statusOf(page), 401);
    // What the cookie was opens nothing any more.
    await context.addCookies([session]);
    assert.equal(await statusOf(page), 401);
    await context.clearCookies({ name: 'ibidem-session' });
    // The provider has forgotten them too: it asks who they are.
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.locator('input[name=login]').waitFor();
    assert.deepEqual(expected(tripped), []);
  },

  async 'logging out at the provider ends the session here'(browser) {
    const { context, page } = await windowOf(browser);
    await signIn(page, await somebody('Bea', ['staff']), 'Bea');
    const elsewhere = await context.newPage();
    await elsewhere.goto(`${provider}/session/end?client_id=${client.client_id}`);
    await elsewhere.getByRole('button', { name: 'Yes, sign me out' }).click();
    await elsewhere.getByText('Sign-out Success').waitFor();
    const field = page.getByRole('textbox', { name: 'Your question' });
    await field.fill(QUESTION);
    await field.press('Enter');
    await page.getByText('You are no longer signed in.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.equal(await statusOf(page), 401);
  },

  async 'a group that gives nothing any more is gone at the next request'(browser) {
    const { page, tripped } = await windowOf(browser);
    map('auditors', 'finance');
    await signIn(page, await somebody('Cleo', ['staff', 'auditors']), 'Cleo');
    const before = await ask(page, QUESTION);
    await before.getByText(/^Answered from/).waitFor();
    assert.match(await before.innerText(), new RegExp(SECRET));
    map('auditors');
    const after = await ask(page, `Please: ${QUESTION}`);
    await after.getByText('No answer', { exact: true }).waitFor();
    assert.doesNotMatch(await after.innerText(), new RegExp(SECRET));
    // In the conversation that is kept, too.
    await page.reload();
    await page.getByRole('button', { name: 'Show conversations' }).click();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('button', { name: QUESTION, exact: true }).click();
    await page.getByText('A source of this answer was withdrawn.').first().waitFor();
    assert.doesNotMatch(await page.locator('#app').innerText(), new RegExp(SECRET));
    assert.deepEqual(expected(tripped), []);
  },
};

/** Chromium writes a line for every refused request: nobody is signed in, or a linked document is not there. */
function expected(tripped) {
  return tripped.filter((line) => !/status of 40[14]/.test(line));
}

const wanted = new RegExp(process.argv[2] ?? '');
const chosen = Object.entries(tests).filter(([name]) => wanted.test(name));
if (chosen.length === 0) process.exit(0);
map('staff');
map('finance', 'finance');
const { url, server, client } = await serving();
process.on('exit', () => server.kill());
process.env.IBIDEM_PAGES_URL = url;
const { accessible, ask, launch } = await import('./harness.mjs');
const browser = await launch();
let failed = 0;
for (const [name, test] of chosen) {
  const began = Date.now();
  try {
    await test(browser);
    console.log(`pages: ok ${((Date.now() - began) / 1000).toFixed(1)} s  ${name}`);
  } catch (error) {
    failed++;
    console.error(`pages: FAILED  ${name}\n${error.stack}`);
    for (const page of browser.contexts().flatMap((context) => context.pages())) {
      console.error(`  at ${page.url()}: ${(await page.locator('body').innerText()).slice(0, 500)}`);
    }
  }
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
