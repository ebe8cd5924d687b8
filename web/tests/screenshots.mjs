// Pictures of the pages for the README, into docs/pictures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { adminKey, ask, launch, visit } from './harness.mjs';
import { small } from './png.mjs';

const folder = new URL('../../docs/pictures/', import.meta.url).pathname;
const MOST_BYTES = 150_000;
mkdirSync(folder, { recursive: true });
const browser = await launch();
const blank = await browser.newPage();

async function picture(name, options, show) {
  const { page, close } = await visit(browser, { width: 1120, height: 700, deviceScaleFactor: 1.5, ...options });
  await show(page);
  // Where the pointer is, something may be lit up.
  await page.mouse.move(0, 0);
  const bytes = await small(blank, await page.screenshot({ animations: 'disabled' }));
  writeFileSync(`${folder}${name}.png`, bytes);
  const size = bytes.length;
  console.log(`pages: docs/pictures/${name}.png, ${size} bytes`);
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MOST_BYTES}`);
  await close();
}

async function answer(page) {
  const turn = await ask(page, 'What do I do when I lose a device?');
  await turn
    .getByRole('button', { name: /^Source \d+: / })
    .first()
    .click();
  await page.getByRole('complementary').locator('mark').first().waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.evaluate(() => document.activeElement.blur());
}

await picture('answer', {}, answer);
await picture('answer-dark', { colorScheme: 'dark' }, answer);
await picture('refusal', { width: 860, height: 860 }, async (page) => {
  await ask(page, 'How many days of leave do interns have?');
  await page.evaluate(() => window.scrollTo(0, 0));
});

const QUESTIONS = [
  'What is the daily limit for meals on a business trip?',
  'How many days of leave do I have?',
  'Who painted the ceiling of the chapel?',
  'What is the notice period?',
  'Who waters the plants?',
];
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
await picture('what-if', { as: adminKey, height: 900, path: '/#/operating/policies' }, async (page) => {
  await page.getByRole('button', { name: 'Try other thresholds' }).click();
  const field = page.getByRole('spinbutton', { name: 'Confidence that an answer needs, 0 to 100' });
  await field.fill('85');
  await field.press('Tab');
  await page.getByText(/would change:$/).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.evaluate(() => window.scrollTo(0, 0));
});
await browser.close();
