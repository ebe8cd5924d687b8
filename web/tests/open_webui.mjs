// Open WebUI in front of a real server, in a real browser: what it shows must be what POST /v1/answers says.
// usage: open_webui.mjs [pictures]; lab/clients/open_webui sets the environment. With `pictures` it also writes docs/pictures/beside.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import { adminKey, ask as askHere, key, launch, url, visit } from './harness.mjs';
import { small } from './png.mjs';

/** It starts slowly on a busy machine. */
const PATIENCE = 900_000;
/** Open WebUI's page asks there for the icon of each source, with the address of the passage. It is not let out. */
const FAVICONS = 'https://www.google.com/s2/favicons?';
const MOST_BYTES = 95_000;
const withPictures = process.argv[2] === 'pictures';
const program = needed('IBIDEM_STACK_OPEN_WEBUI');
const folder = needed('IBIDEM_OPEN_WEBUI_FOLDER');
const pictures = new URL('../../docs/pictures/beside/', import.meta.url).pathname;

/** Each with the fewest sources that its answer must have. The last is asked in the chat of the one before it. */
const QUESTIONS = [
  { name: 'two-sources', model: 'ibidem', question: 'How do I report a lost device?', sources: 2 },
  { name: 'table', model: 'ibidem', question: 'Who approves a purchase of 20,000 euros?', sources: 1 },
  { name: 'refusal', model: 'ibidem', question: 'How many days of leave do interns have?', sources: 0 },
  { name: 'german', model: 'ibidem/Support', question: 'Was kostet die Anfahrt des Technikers?', sources: 1 },
  {
    name: 'before',
    model: 'ibidem/Handbook',
    question: 'How many days of annual leave does a full-time employee have?',
    sources: 2,
  },
  { name: 'follow-up', model: 'ibidem/Handbook', question: 'And part-time employees?', sources: 2, follows: 'before' },
];

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run lab/clients/open_webui`);
  return value;
}

async function until(what, isSo) {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`not within ${PATIENCE / 1000} seconds: ${what}`);
}

async function called(path, { as = key, ...options } = {}) {
  const headers = { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json' };
  const reply = await fetch(`${url}${path}`, { headers, ...options });
  assert.equal(reply.status, 200, `${path}: ${await reply.clone().text()}`);
  return reply.json();
}

/** Listens on a free port of this machine. */
function listening(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}

/** Passes requests on to the server and keeps what was asked and replied. */
const calls = [];
const recorder = http.createServer((request, response) => {
  const call = { path: request.url, asked: '', replied: '' };
  calls.push(call);
  const { host, ...headers } = request.headers;
  const server = new URL(url);
  const options = { host: server.hostname, port: server.port, method: request.method, path: request.url, headers };
  const passed = http.request(options, (reply) => {
    call.status = reply.statusCode;
    call.type = reply.headers['content-type'];
    response.writeHead(reply.statusCode, reply.headers);
    reply.on('data', (piece) => {
      call.replied += piece;
    });
    reply.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  request.on('data', (piece) => {
    call.asked += piece;
  });
  request.pipe(passed);
});

/** Whoever wants to reach another host is told to go through it, and gets nowhere. */
const abroad = [];
const border = createServer((connection) => {
  connection.on('error', () => undefined);
  connection.once('data', (piece) => {
    abroad.push(String(piece).split('\r\n')[0]);
    connection.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
});

const recorderPort = await listening(recorder);
const borderUrl = `http://127.0.0.1:${await listening(border)}`;
const free = createServer();
const port = await listening(free);
await new Promise((resolve) => free.close(resolve));
const home = `http://127.0.0.1:${port}`;

function started() {
  const log = openSync(`${folder}/open-webui.log`, 'a');
  const api = `http://127.0.0.1:${recorderPort}/v1`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DATA_DIR: `${folder}/data`,
    WEBUI_SECRET_KEY: 'of this run',
    WEBUI_AUTH: 'False',
    OPENAI_API_BASE_URL: api,
    OPENAI_API_KEY: key,
    ENABLE_OLLAMA_API: 'False',
    RAG_EMBEDDING_ENGINE: 'openai',
    RAG_OPENAI_API_BASE_URL: api,
    HF_HUB_OFFLINE: '1',
    OFFLINE_MODE: 'True',
    ENABLE_VERSION_UPDATE_CHECK: 'False',
    ANONYMIZED_TELEMETRY: 'False',
    http_proxy: borderUrl,
    https_proxy: borderUrl,
    HTTP_PROXY: borderUrl,
    HTTPS_PROXY: borderUrl,
    no_proxy: '127.0.0.1',
    NO_PROXY: '127.0.0.1',
  };
  const argv = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  return spawn(program, argv, { cwd: folder, env, stdio: ['ignore', log, log] });
}

/** The answer as a chat program shows it: markers counted from 1, then the sources; and what each number leads to. */
function shown(answer) {
  const order = [];
  const cited = new Map(answer.citations.map((citation) => [citation.marker, citation]));
  const number = (marker) => {
    if (!order.includes(marker)) order.push(marker);
    return order.indexOf(marker) + 1;
  };
  let text = answer.answer.replace(/\[(\d+)\]/g, (written, marker) =>
    cited.has(Number(marker)) ? `[${number(Number(marker))}]` : written,
  );
  for (const marker of cited.keys()) number(marker);
  const titles = order.map((marker) => {
    const { document_name, section, page_number } = cited.get(marker);
    return [document_name, section, page_number && `p. ${page_number}`].filter(Boolean).join(', ');
  });
  if (order.length > 0) text += `\n\nSources:${titles.map((title, at) => `\n[${at + 1}] ${title}`).join('')}`;
  if (answer.refused) {
    const places = answer.nearest.map(({ address, title, section, source_id }) => {
      const name = [address && !title.includes(address) && address, title, section].filter(Boolean).join(', ');
      return `\n- ${name}: ${url}/#/passage/${source_id.replace(':', '/')}`;
    });
    if (places.length > 0) text += ` The closest are below:${places.join('')}`;
    if (answer.why && answer.why !== answer.answer) text += `\n\n${answer.why}`;
    if (answer.route_to) text += `\n\nWhom to ask: ${answer.route_to.reason}`;
    const offered = answer.offers ?? [];
    for (const [heading, offers] of [
      ['You could ask instead:', offered.map(({ query }) => query)],
      ['What you can do:', answer.suggestions.filter((step) => !offered.some(({ text }) => text === step))],
    ]) {
      if (offers.length > 0) text += `\n\n${heading}${offers.map((offer) => `\n- ${offer}`).join('')}`;
    }
  }
  // A refusal quotes nothing: that it would have been quoted is nothing to know.
  for (const warning of answer.refused ? [] : answer.warnings) text += `\n\nNote: ${warning}`;
  const links = order.map((marker) => {
    const { source_id, document_sha256 } = cited.get(marker);
    return `${url}/#/passage/${source_id.replace(':', '/')}?of=${document_sha256.slice(0, 12)}`;
  });
  return { text, titles, links };
}

/** What POST /v1/answers says to the question of a chat program, with the same that was said before it. */
async function expected({ model, messages }) {
  const collections = model.includes('/') ? [model.split('/')[1]] : [];
  const talk = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const { content } = talk.pop();
  const history = talk.map(({ role, content }) => ({ role, content }));
  const body = JSON.stringify({ query: content, collections, history });
  const answer = await called('/v1/answers', { method: 'POST', body });
  return { ...shown(answer), answer };
}

/** One line, with single spaces. */
const folded = (text) => text.replace(/\s+/g, ' ').trim();

/** Chooses a model in a new chat, from a list that must be ours. */
async function choose(page, model, models) {
  if ((await page.locator('.chat-assistant').count()) > 0) await page.goto(home);
  await page.locator('#model-selector-model-button').click();
  const option = page.getByRole('option', { name: `Select ${model} model`, exact: true });
  await option.waitFor();
  assert.deepEqual((await page.getByRole('option').allInnerTexts()).map(folded), models);
  await option.click();
  await page.getByRole('button', { name: `Selected model: ${model}`, exact: true }).waitFor();
}

/** Asks, and waits until the reply is whole. */
async function ask(page, question) {
  const replies = page.locator('.chat-assistant');
  const before = await replies.count();
  const field = page.locator('#chat-input');
  await field.click();
  await field.fill(question);
  await page.keyboard.press('Enter');
  const turn = replies.nth(before);
  await turn.waitFor();
  await page.getByRole('button', { name: 'Regenerate' }).nth(before).waitFor();
  return turn;
}

/** What the page says, with the name of its source in place of each marker. */
function said(turn) {
  return turn.locator('.markdown-prose').evaluate((prose) => {
    const copy = prose.cloneNode(true);
    for (const button of copy.querySelectorAll('button[aria-label^="View source: "]')) {
      button.replaceWith(`⟦${button.getAttribute('aria-label').slice('View source: '.length)}⟧`);
    }
    for (const part of copy.querySelectorAll('br, p')) part.append(' ');
    for (const line of copy.querySelectorAll('br')) line.replaceWith(' ');
    return copy.textContent;
  });
}

async function compare(turn, { text, titles, links }, name) {
  const named = text.replace(/\[(\d+)\]/g, (_, number) => `⟦${titles[number - 1]}⟧`);
  assert.equal(folded(await said(turn)), folded(named), name);
  const toggle = turn.getByRole('button', { name: /^Toggle \d+ sources?$/ });
  if (titles.length === 0) {
    assert.equal(await turn.locator('button[aria-label^="View source"]').count(), 0, name);
    assert.equal(await toggle.count(), 0, name);
    return;
  }
  await toggle.click();
  const listed = turn.locator('button[id^="source-"]');
  await listed.first().waitFor();
  const labels = await listed.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual(
    labels,
    links.map((link, at) => `View source: ${at + 1} ${link}`),
    name,
  );
  await toggle.click();
}

/** The pieces of a stream as they came from the server. */
function pieces(replied) {
  const data = replied.split('\n').filter((line) => line.startsWith('data: '));
  assert.equal(data.pop(), 'data: [DONE]');
  return data.map((line) => JSON.parse(line.slice('data: '.length)).choices[0]);
}

const browser = await launch();
const openWebui = started();
process.on('SIGTERM', () => {
  openWebui.kill('SIGKILL');
  process.exit(1);
});
let total = 0;
async function picture(page, name) {
  if (!withPictures || name.startsWith('before')) return;
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement?.blur());
  const blank = await browser.newPage();
  const bytes = await small(blank, await page.screenshot({ animations: 'disabled' }));
  await blank.close();
  total += bytes.length;
  assert.ok(bytes.length <= MOST_BYTES, `${name} has ${bytes.length} bytes, more than ${MOST_BYTES}`);
  writeFileSync(`${pictures}${name}.png`, bytes);
  console.log(`open-webui: docs/pictures/beside/${name}.png, ${bytes.length} bytes`);
}

async function questionsCounted() {
  const { days } = await called('/v1/metrics?days=1', { as: adminKey });
  return days.reduce((sum, day) => sum + day.questions, 0);
}

async function actions(action) {
  return (await called(`/v1/audit/actions?action=${action}&limit=500`, { as: adminKey })).actions.length;
}

try {
  if (withPictures) mkdirSync(pictures, { recursive: true });
  await until('Open WebUI answers', async () => {
    assert.equal(openWebui.exitCode, null, `Open WebUI ended; see ${folder}/open-webui.log`);
    return fetch(`${home}/health`).then(
      (reply) => reply.ok,
      () => false,
    );
  });
  console.log('open-webui: it is up');
  const view = { width: 980, height: 720 };
  const tripped = [];
  const context = await browser.newContext({ viewport: view, locale: 'en-GB', reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.on('dialog', (dialog) => tripped.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on('request', (request) => {
    const asked = request.url();
    const isOwn = asked.startsWith(`${home}/`) || asked.startsWith('data:') || asked.startsWith('blob:');
    if (!isOwn && !asked.startsWith(FAVICONS)) tripped.push(`request: ${asked}`);
  });
  await context.route(
    (address) => address.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  await page.goto(home);
  await page.getByRole('button', { name: /^Okay, Let/ }).click();

  await page.locator('#chat-input').waitFor();
  const models = (await called('/v1/models')).data.map(({ id }) => id);
  assert.deepEqual(models, ['ibidem', 'ibidem/Handbook', 'ibidem/Support']);
  let counted = 0;
  for (const one of QUESTIONS) {
    // A question is counted a moment after its answer.
    await until('what was asked before is counted', async () => (await questionsCounted()) >= counted);
    const [byRule, from] = [await actions('chat.by_rule'), calls.length];
    if (!one.follows) await choose(page, one.model, models);
    const turn = await ask(page, one.question);

    // A title, tags and follow-ups are asked for when the reply is whole; of a chat that has a title, only the last.
    const tasks = one.follows ? 1 : 3;
    const sent = () => calls.slice(from).filter(({ path }) => path === '/v1/chat/completions');
    const isTask = (call) => JSON.parse(call.asked).messages.at(-1).content.startsWith('### Task:');
    await until(`${tasks} tasks of ${one.name}`, () => sent().filter((call) => call.status).length > tasks);
    const [questions, own] = [sent().filter((call) => !isTask(call)), sent().filter(isTask)];
    assert.equal(questions.length, 1, `${one.name}: ${sent().map(({ asked }) => asked.slice(0, 200))}`);
    for (const { status, asked, replied } of own) {
      assert.equal(status, 200);
      assert.ok(!replied.includes('"ibidem":{'), `answered by the engine: ${asked.slice(0, 200)}`);
    }
    await until('the tasks are on record', async () => (await actions('chat.by_rule')) >= byRule + own.length);
    await until('the question is counted', async () => (await questionsCounted()) > counted);
    assert.equal(await questionsCounted(), counted + 1, `${one.name}: only the question is counted`);
    // That one, and the same by the API below.
    counted += 2;

    const body = JSON.parse(questions[0].asked);
    assert.deepEqual([body.model, body.stream], [one.model, true]);
    const wanted = await expected(body);
    assert.equal(wanted.answer.refused, one.name === 'refusal', wanted.text);
    assert.ok(wanted.titles.length >= one.sources, `${one.name}: ${wanted.text}`);
    assert.match(questions[0].type, /^text\/event-stream/);
    const streamed = pieces(questions[0].replied);
    assert.equal(streamed[0].delta.role, 'assistant');
    assert.equal(streamed.at(-1).finish_reason, 'stop');
    assert.equal(streamed.map(({ delta }) => delta.content ?? '').join(''), wanted.text, one.name);
    await compare(turn, wanted, one.name);
    // The page is called after the chat, and the chat by its title.
    if (!one.follows) await until('the title', async () => (await page.title()).startsWith(one.question.slice(0, 25)));
    await picture(page, `${one.name}-open-webui`);
    const found =
      wanted.titles.length === 0 ? 'refused, with no source' : `the text and ${wanted.titles.length} source(s)`;
    console.log(`open-webui: ${one.name}: ${found}; ${own.length} task(s) answered by rule`);
  }

  // Where a source leads: to our page that shows the passage, for whoever may read it.
  const { links, answer } = await expected({
    model: 'ibidem',
    messages: [{ role: 'user', content: QUESTIONS[0].question }],
  });
  const reader = await visit(browser, { path: links[0].slice(url.length) });
  await reader.page.locator('aside .passage').first().waitFor();
  const passage = folded((await reader.page.locator('aside .passage').allInnerTexts()).join(' '));
  assert.ok(passage.includes(folded(answer.citations[0].snippet).slice(0, 40)), passage);
  assert.deepEqual(reader.tripped, []);
  await reader.close();
  console.log('open-webui: a source leads to our page, at the passage');

  assert.deepEqual(tripped, []);
  assert.deepEqual(abroad, [], 'Open WebUI wanted to reach another host');
  await context.close();

  for (const one of withPictures ? QUESTIONS : []) {
    if (one.follows) continue;
    const { page, close } = await visit(browser, view);
    const last = QUESTIONS.find(({ follows }) => follows === one.name);
    await askHere(page, one.question);
    if (last) await askHere(page, last.question);
    if (!last) await page.evaluate(() => globalThis.scrollTo(0, 0));
    await picture(page, `${(last ?? one).name}-ours`);
    await close();
  }
  if (withPictures) console.log(`open-webui: ${total} bytes of pictures`);
  console.log('open-webui: all passed');
} catch (error) {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    console.error(`open-webui: what ${page.url()} shows: ${(await page.locator('body').innerText()).slice(0, 1500)}`);
  }
  throw error;
} finally {
  await browser.close();
  openWebui.kill('SIGTERM');
  const killed = setTimeout(() => openWebui.kill('SIGKILL'), 20_000);
  if (openWebui.exitCode === null && openWebui.signalCode === null) {
    await new Promise((resolve) => openWebui.on('exit', resolve));
  }
  clearTimeout(killed);
  recorder.closeAllConnections();
  recorder.close();
  border.close();
}
