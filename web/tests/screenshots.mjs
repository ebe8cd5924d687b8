// Pictures of the pages for the README and the book, into docs/pictures. Names on the command line choose some of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { adminKey, ask, launch, url, visit } from './harness.mjs';
import { small } from './png.mjs';

const folder = new URL('../../docs/pictures/', import.meta.url).pathname;
const MOST_BYTES = 150_000;
/** The admin of a tenant for which an evaluation was recorded. */
const evaluatedKey = process.env.IBIDEM_PAGES_EVALUATED_KEY;
mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
const browser = await launch();
const blank = await browser.newPage();

const MEALS = 'What is the daily limit for meals on a business trip?';
const DEVICE = 'What do I do when I lose a device?';
const INTERNS = 'How many days of leave do interns have?';
/** What people asked before the pictures of what was asked are made; some of it more than once. */
const QUESTIONS = [
  MEALS,
  'How many days of leave do I have?',
  'Who painted the ceiling of the chapel?',
  'What is the notice period?',
  'Who waters the plants?',
  'Who waters the plants?',
  INTERNS,
];

async function picture(name, options, show) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const { page, tripped, close } = await visit(browser, {
    width: 1120,
    height: 700,
    deviceScaleFactor: 1.5,
    ...options,
  });
  await show(page);
  // Where the pointer is, something may be lit up; and what has the focus has a frame.
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement?.blur());
  const bytes = await small(blank, await page.screenshot({ animations: 'disabled' }));
  writeFileSync(`${folder}${name}.png`, bytes);
  const size = bytes.length;
  console.log(`pages: docs/pictures/${name}.png, ${size} bytes`);
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MOST_BYTES}`);
  if (tripped.length > 0) throw new Error(`${name}: ${tripped.join('\n')}`);
  await close();
}

const toTop = (page) => page.evaluate(() => window.scrollTo(0, 0));

/** Asks, and opens the conversation again: how long this machine took is no part of a picture. */
async function asked(page, question) {
  await ask(page, question);
  await page.getByRole('button', { name: 'Show conversations' }).click();
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await list.getByRole('button', { name: question, exact: true }).first().click();
  await list.getByRole('searchbox').waitFor({ state: 'detached' });
  return page.getByRole('article', { name: question });
}

/** An answer, with its first source open beside it. */
async function opened(page, question) {
  const turn = await asked(page, question);
  await turn
    .getByRole('button', { name: /^Source \d+: / })
    .first()
    .click();
  await page.getByRole('complementary').locator('mark, .quoted').first().waitFor();
  await toTop(page);
}

await picture('answer', { height: 760 }, (page) => opened(page, MEALS));
await picture('answer-dark', { colorScheme: 'dark' }, (page) => opened(page, DEVICE));
await picture('refusal', { width: 860, height: 860 }, async (page) => {
  await asked(page, INTERNS);
  await toTop(page);
});
await picture('library', { height: 760, path: '/#/library?search=carrying%20leave%20over' }, async (page) => {
  await page
    .getByRole('button', { name: /^Leave Policy/ })
    .first()
    .click();
  const source = page.getByRole('complementary');
  await source.getByText('Sections', { exact: true }).click();
  await source.getByRole('button', { name: 'Sick leave' }).waitFor();
});
await picture('phone', { width: 390, height: 780, deviceScaleFactor: 2, hasTouch: true }, async (page) => {
  await asked(page, DEVICE);
  await toTop(page);
});

await picture('curating', { as: adminKey, height: 900, path: '/#/curating' }, async (page) => {
  await page.getByRole('row').nth(1).waitFor();
});
await picture('operating', { as: adminKey, height: 820 }, async (page) => {
  for (const question of QUESTIONS) await ask(page, question);
  // Records are written a moment after their answers.
  await page.waitForFunction(
    async ({ most, key }) => {
      const reply = await fetch('/v1/metrics?days=1', { headers: { Authorization: `Bearer ${key}` } });
      return (await reply.json()).days[0].questions >= most;
    },
    { most: QUESTIONS.length, key: adminKey },
    { polling: 500 },
  );
  await page.getByRole('link', { name: 'Operate' }).click();
  await page.getByRole('heading', { name: 'Not answered, by reason' }).waitFor();
});
await picture('gaps', { as: adminKey, height: 780, path: '/#/curating/gaps' }, async (page) => {
  await page.getByRole('button', { name: 'Look through the last questions' }).click();
  await page
    .getByRole('button', { name: /^Answer this/ })
    .nth(1)
    .waitFor();
  await toTop(page);
});
await picture('what-if', { as: adminKey, height: 900, path: '/#/operating/policies' }, async (page) => {
  await page.getByRole('button', { name: 'Try other thresholds' }).click();
  const field = page.getByRole('spinbutton', { name: 'Confidence that an answer needs, 0 to 100' });
  await field.fill('85');
  await field.press('Tab');
  await page.getByText(/would change:$/).waitFor();
  await page.getByRole('heading', { name: 'What if?' }).scrollIntoViewIfNeeded();
  await page.evaluate(() => document.getElementById('what-if').scrollIntoView({ block: 'start' }));
  await page.evaluate(() => window.scrollBy(0, -80));
});
if (evaluatedKey) {
  await picture('evaluation', { as: evaluatedKey, height: 860, path: '/#/operating/evaluations' }, async (page) => {
    await page.getByRole('img', { name: 'Reliability' }).waitFor();
  });
}

/** An intranet page of somebody else, which has the widget in it. */
async function intranet() {
  let key = '';
  const server = createServer((request, reply) => {
    if (request.url !== '/') return reply.writeHead(204).end();
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    reply.end(`<!doctype html><html lang="en"><head><title>Intranet</title><style>
      body { margin: 0; font: 16px/1.6 system-ui, "DejaVu Sans", sans-serif; color: #222; background: #eef2ef }
      header { padding: 0.9rem 2.5rem; background: #1f5c4a; color: #fff; font-weight: 600 }
      main { max-width: 46rem; margin: 2rem auto; padding: 2rem 2.5rem; background: #fff; border-radius: 8px }
      h1 { margin: 0 0 0.5rem; font-size: 1.6rem } p { margin: 0 0 1.25rem }
      </style></head><body><header>Harbour Works · Intranet</header><main><h1>Travel</h1>
      <p>Book trains and hotels with the travel desk. Questions about the rules are answered from the handbook:</p>
      <script src="${url}/embed.js" data-key="${key}"></script></main></body></html>`);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const home = `http://127.0.0.1:${server.address().port}`;
  const made = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Intranet', role: 'asker', origins: [home], expires_in_days: 1 }),
  });
  key = (await made.json()).secret;
  return { home, end: () => server.close() };
}

const site = await intranet();
await picture('widget', { home: site.home, signedIn: false, width: 960, height: 800 }, async (page) => {
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill(MEALS);
  await field.press('Enter');
  await page.getByText(/^Answered from/).waitFor();
});
site.end();
await browser.close();
