// A browser for the pages, with tripwires: a message in the console, a dialog, an error or a request to another host
// fails the test that it happens in.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

/** How long something may take on the page, in milliseconds; longer on a busy machine. */
const PATIENCE = Number(process.env.IBIDEM_PAGES_PATIENCE_MS ?? 60_000);
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const url = needed('IBIDEM_PAGES_URL');
export const key = needed('IBIDEM_PAGES_KEY');
export const curatorKey = needed('IBIDEM_PAGES_CURATOR_KEY');
export const adminKey = needed('IBIDEM_PAGES_ADMIN_KEY');

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run .ci/pages`);
  return value;
}

export function launch() {
  return chromium.launch({
    executablePath: needed('IBIDEM_STACK_CHROMIUM'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A page of its own session, of the server or of another site (`home`). `tripped` is what should not have happened. */
export async function visit(
  browser,
  { width = 1280, height = 900, signedIn = true, as = key, home = url, path = '/', prepare, ...options } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    locale: 'en-GB',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const tripped = [];
  page.on('console', (message) => tripped.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => tripped.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    tripped.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    const isOwn = [url, home].some((origin) => asked.startsWith(`${origin}/`));
    if (!isOwn && !asked.startsWith('blob:')) tripped.push(`request: ${asked}`);
  });
  if (signedIn) await page.addInitScript((value) => sessionStorage.setItem('ibidem-key', value), as);
  await prepare?.(page);
  await page.goto(`${home}${path}`);
  return { page, tripped, close: () => context.close() };
}

export async function ask(page, question) {
  const field = page.getByRole('textbox', { name: /Your question|Ihre Frage/ });
  await field.fill(question);
  await field.press('Enter');
  const turn = page.getByRole('article', { name: question }).last();
  await turn.getByRole('button', { name: /Ask again|Noch einmal fragen/ }).waitFor();
  return turn;
}

/** Violations of WCAG 2.2 AA on the page as it is. */
export async function violations(page) {
  // From its top: further down, the bar that stays there covers half a box, and axe takes the other half for its size.
  await page.evaluate(() => globalThis.scrollTo(0, 0));
  await page.evaluate(axeSource);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
  );
  assert.ok(found.passes.length > 5, 'axe looked at nothing');
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
}

export async function accessible(page, state) {
  assert.deepEqual(await violations(page), [], state);
  const [wide, shown] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(wide <= shown, `${state}: ${wide} pixels wide in a window of ${shown}`);
}
