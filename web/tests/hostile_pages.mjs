// Hostile texts through every page: as a server could reply them, and as real documents and questions of a real one.
//
// CI takes a slice of them, spread over all kinds; `just lab hostile` takes all.
import assert from 'node:assert/strict';
import { adminKey, url, visit } from './harness.mjs';
import { concept as conceptOf, conversations, document as documentOf, managed, placeOf, stream } from './hostile.mjs';
import { batches, KINDS, PAYLOADS, slice } from './payloads.mjs';

/** How many payloads are replied, and how many become real documents and questions. */
const REPLIED = Number(process.env.IBIDEM_PAGES_HOSTILE ?? 32);
const REAL = Number(process.env.IBIDEM_PAGES_HOSTILE_REAL ?? 8);
const AT_ONCE = 8;
/** The longest that a question may be. */
const LONGEST_QUESTION = 1500;

/** A payload that can be found again on the page, whatever it consists of. */
const numbered = (payload, number) => `${payload} ~${number}~`;
const tokens = (payloads) => payloads.map((payload) => /~\d+~$/.exec(payload)[0]);

const replied = batches(slice(REPLIED).map(numbered), AT_ONCE);

const PARTS = [
  '/curating/memory',
  '/curating/gaps',
  '/curating/terms',
  '/operating/overview',
  '/operating/access',
  '/operating/policies',
  '/operating/evaluations',
  '/operating/limits',
  '/operating/records',
  '/curating/documents',
];

/** Nothing of it became markup, nothing ran, and the page is as wide as its window. */
async function unharmed(page, what) {
  const markup =
    '#app :is(img, picture, video, audio, script, iframe, object, embed, base, link, meta, math, dialog, form[action], a[href*=":"], a[target], [onload], [onerror], [onfocus])';
  const found = await page.evaluate(
    (markup) => ({
      markup: [...document.querySelectorAll(markup)].map((element) => element.outerHTML.slice(0, 200)),
      wide: document.documentElement.scrollWidth,
      window: document.documentElement.clientWidth,
      isHit: 'hit' in window,
      title: document.title,
      styles: document.querySelectorAll('#app style').length,
    }),
    markup,
  );
  assert.deepEqual(found.markup, [], what);
  assert.ok(found.wide <= found.window, `${found.wide} pixels wide in a window of ${found.window}: ${what}`);
  assert.equal(found.isHit, false, what);
  assert.equal(found.styles, 0, what);
  assert.ok(found.title.length < 200, what);
}

/** Waits until each of these stands on the page as text. */
const shows = (page, payloads, where = 'main') =>
  page.waitForFunction(
    ({ all, where }) => {
      const text = document.querySelector(where)?.textContent ?? '';
      return all.every((token) => text.includes(token));
    },
    { all: tokens(payloads), where },
  );

const go = (page, part) =>
  page.evaluate((part) => {
    location.hash = `#${part}`;
  }, part);

/** Asks, whatever the question consists of, and waits for what becomes of it. */
async function put(page, question) {
  const before = await page.getByRole('article').count();
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill(question);
  await field.press('Enter');
  const turn = page.getByRole('article').nth(before);
  await turn.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  return turn;
}

async function lookAtSources(page, turn, most) {
  const notes = turn.locator('button[aria-label^="Source "]');
  for (let place = 0; place < Math.min(most, await notes.count()); place++) {
    await notes.nth(place).click();
    // A passage of unseen characters is there and has no width.
    await page.getByRole('complementary').locator('.passage').first().waitFor({ state: 'attached' });
    const followed = page.getByRole('complementary').locator('.concept button');
    if ((await followed.count()) > 0) {
      await followed.first().click();
      await page.getByRole('button', { name: 'Back to the cited term' }).waitFor();
    }
    await unharmed(page, `source ${place}`);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
  }
}

/** What a file can be called in a form: its name stands in a header, which has no control characters. */
const fileName = (payload) =>
  [...payload]
    .filter((sign) => sign >= ' ' && !'/\\"\u007f'.includes(sign))
    .join('')
    .slice(0, 200);

/** Hands a document in, with the payload in its title, its name, its file's name and its text. */
async function handIn(payload, number) {
  const form = new FormData();
  const text = `The secret word of gate ${number} is walnut-${number}. It is written there: ${payload}\n`;
  form.append('file', new Blob([text]), `${fileName(payload)}.txt`);
  form.append('collection', 'Hostile');
  form.append('tags', 'public');
  form.append('name', `${number} ${payload}`.replaceAll('\u0000', '').slice(0, 400));
  form.append('title', numbered(payload, number).replaceAll('\u0000', ''));
  const reply = await fetch(`${url}/v1/documents`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}` },
    body: form,
  });
  // What is too long or no name at all is refused with a reason.
  assert.ok([202, 422].includes(reply.status), `${number}: ${reply.status} ${await reply.text()}`);
  return reply.status === 202;
}

const called = async (path) =>
  (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${adminKey}` } })).json();

export const hostilePages = {
  async 'there are at least 200 hostile texts, and some of every kind are tried'() {
    assert.ok(PAYLOADS.length >= 200, `${PAYLOADS.length}`);
    const taken = new Set(slice(REPLIED));
    for (const [kind, all] of Object.entries(KINDS))
      assert.ok(
        all.some((one) => taken.has(one)),
        `none of ${kind}`,
      );
  },

  async 'hostile replies of a server or a model neither run nor break the asking page'(browser) {
    const { page, tripped, close } = await visit(browser, { width: 320 });
    let payloads = [];
    await page.route('**/v1/answers', (route) => route.fulfill(stream(payloads, route.request().postDataJSON())));
    await page.route('**/v1/documents/**', (route) => {
      const id = new URL(route.request().url()).pathname.split('/')[3];
      return route.fulfill({ json: documentOf(payloads[placeOf(id)], id) });
    });
    await page.route('**/v1/concepts?**', (route) => {
      const uri = new URL(route.request().url()).searchParams.get('uri');
      return route.fulfill({ json: conceptOf(payloads, uri) });
    });
    await page.route('**/v1/conversations', (route) =>
      route.request().method() === 'GET' ? route.fulfill(conversations(payloads)) : route.continue(),
    );
    for (payloads of replied) {
      const what = JSON.stringify(payloads).slice(0, 2000);
      const answer = await put(page, 'answer');
      await shows(page, payloads, 'article .text');
      await unharmed(page, what);
      await lookAtSources(page, answer, AT_ONCE);
      const refusal = await put(page, 'refuse');
      await refusal.getByText('The numbers').click();
      await shows(page, payloads, 'article:last-of-type');
      await unharmed(page, what);
      await put(page, 'propose');
      await shows(page, payloads, 'article:last-of-type section');
      await unharmed(page, what);
      await page.getByRole('button', { name: 'Show conversations', exact: true }).click();
      await shows(page, payloads, 'nav[aria-label="Conversations"]');
      await unharmed(page, what);
      await page.getByRole('button', { name: 'Hide conversations', exact: true }).click();
      await page.getByRole('button', { name: 'New conversation', exact: true }).click();
      assert.deepEqual(tripped, [], what);
    }
    await close();
  },

  async 'hostile titles, file names and tags neither run nor break the curating and operating pages'(browser) {
    const { page, tripped, close } = await visit(browser, { as: adminKey, width: 320, path: '/#/curating' });
    await page.getByRole('heading', { name: 'Curating' }).waitFor();
    let all = {};
    const known = (address) => new URL(address).pathname in all;
    await page.route(known, (route) => route.fulfill({ json: all[new URL(route.request().url()).pathname] }));
    for (const payloads of replied) {
      all = managed(payloads);
      for (const part of PARTS) {
        const what = `${part}: ${JSON.stringify(payloads).slice(0, 2000)}`;
        await go(page, part);
        await page.locator(`main a[aria-current][href="#${part}"]`).waitFor();
        await shows(page, payloads);
        if (part === '/curating/documents' || part === '/operating/records') {
          const titles = page.locator('tbody button');
          for (let place = 0; place < payloads.length; place++) {
            await titles.nth(place).click();
            await page.locator('tbody .sheet, .sheet').last().waitFor();
            await unharmed(page, what);
            await titles.nth(place).click();
          }
        }
        if (part === '/curating/gaps') {
          await page.getByRole('button', { name: 'Look through the last questions' }).click();
          await page
            .getByText(/^asked once by 1 person/)
            .first()
            .waitFor();
        }
        if (part === '/operating/policies') {
          await page.getByRole('button', { name: 'Try other thresholds' }).click();
          await page.getByRole('spinbutton').first().fill('0.6');
          await page.getByRole('spinbutton').first().press('Tab');
          await page.getByText('3 of 5 decisions would change:').waitFor();
        }
        await unharmed(page, what);
        assert.deepEqual(tripped, [], what);
      }
    }
    await close();
  },

  async 'hostile titles and passages neither run nor break the library'(browser) {
    const { page, tripped, close } = await visit(browser, { width: 320, path: '/#/library' });
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    let all = {};
    const known = (address) => new URL(address).pathname in all;
    await page.route(known, (route) => route.fulfill({ json: all[new URL(route.request().url()).pathname] }));
    for (const payloads of replied) {
      all = managed(payloads);
      const what = JSON.stringify(payloads).slice(0, 2000);
      await go(page, `/library?${new URLSearchParams({ search: payloads[0].slice(0, 200) })}`);
      await shows(page, payloads, 'section[aria-labelledby="passages"]');
      await shows(page, payloads, 'section[aria-labelledby="documents"]');
      await unharmed(page, what);
      for (const part of ['passages', 'documents']) {
        const rows = page.locator(`section[aria-labelledby="${part}"] .title`);
        for (let place = 0; place < payloads.length; place++) {
          await rows.nth(place).click();
          const source = page.getByRole('complementary');
          await source.getByText('Sections', { exact: true }).click();
          await source.locator('li button').first().waitFor({ state: 'attached' });
          await unharmed(page, what);
          await page.keyboard.press('Escape');
          await source.waitFor({ state: 'detached' });
        }
      }
      assert.deepEqual(tripped, [], what);
    }
    await close();
  },

  async 'hostile documents and questions stay text on every page'(browser) {
    const payloads = slice(REAL);
    const taken = [];
    for (const [number, payload] of payloads.entries()) if (await handIn(payload, number)) taken.push(number);
    assert.ok(taken.length >= payloads.length / 2, `only ${taken.length} of ${payloads.length} were taken`);
    // Until each was read or given up.
    const until = Date.now() + 120_000 + 2_000 * payloads.length;
    for (;;) {
      const { waiting, running, publications } = await called('/v1/queue');
      if (waiting + running + publications === 0) break;
      assert.ok(Date.now() < until, 'the documents were not read in time');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }

    const asker = await visit(browser, { width: 320 });
    for (const number of taken) {
      const question = `What is the secret word of gate ${number}? ${payloads[number].slice(0, LONGEST_QUESTION)}`;
      const turn = await put(asker.page, question);
      await unharmed(asker.page, `asking ${number}`);
      await lookAtSources(asker.page, turn, 1);
      assert.deepEqual(asker.tripped, [], `asking ${number}`);
      // Long conversations are measured elsewhere.
      if (number % 10 === 9) await asker.page.getByRole('button', { name: 'New conversation', exact: true }).click();
    }
    let concepts = 0;
    for (const number of payloads.keys()) {
      const turn = await put(asker.page, `What is a gizmo${number}?`);
      await unharmed(asker.page, `term ${number}`);
      await lookAtSources(asker.page, turn, 1);
      concepts += (await turn.getByText('with words on it').count()) > 0 ? 1 : 0;
      assert.deepEqual(asker.tripped, [], `term ${number}`);
      if (number % 10 === 9) await asker.page.getByRole('button', { name: 'New conversation', exact: true }).click();
    }
    assert.ok(concepts > payloads.length / 2, `only ${concepts} of ${payloads.length} terms were answered`);
    await asker.close();

    const { page, tripped, close } = await visit(browser, { as: adminKey, width: 320, path: '/#/curating/documents' });
    const found = page.waitForResponse((reply) => reply.url().includes('collection=Hostile'));
    await page.getByLabel('Collection').last().fill('Hostile');
    await found;
    const listed = page.locator('tbody tr');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('tbody tr')].every((row) => /~\d+~/.test(row.textContent)),
    );
    while (await page.getByRole('button', { name: 'Show more' }).count()) {
      const before = await listed.count();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.waitForFunction((before) => document.querySelectorAll('tbody tr').length > before, before);
    }
    assert.ok((await listed.count()) >= taken.length / 2, `${await listed.count()} documents are listed`);
    await unharmed(page, 'documents');
    for (let place = 0; place < Math.min(taken.length, await listed.count()); place++) {
      await page.locator('tbody button').nth(place).click();
      await page.locator('.sheet').last().waitFor();
      await unharmed(page, `document ${place}`);
      await page.locator('tbody button').nth(place).click();
    }
    await go(page, '/curating/gaps');
    await page.getByRole('button', { name: 'Look through the last questions' }).click();
    await page.getByRole('button', { name: 'Look through the last questions', disabled: false }).waitFor();
    await unharmed(page, 'gaps');
    for (const part of ['/operating/overview', '/operating/records']) {
      await go(page, part);
      await page.locator(`main a[aria-current][href="#${part}"]`).waitFor();
      await page.waitForLoadState('networkidle');
      await unharmed(page, part);
    }
    // Many documents were looked at since the last question.
    await page.getByRole('combobox', { name: 'Action' }).selectOption('answer.ask');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('tbody button').first().click();
    await page.getByText('The record of the question').waitFor();
    await unharmed(page, 'record');
    // Every answer is refused: the questions stand in the list of what would change.
    await go(page, '/operating/policies');
    await page.getByRole('button', { name: 'Try other thresholds' }).click();
    const most = page.getByRole('spinbutton', { name: 'Confidence that an answer needs, 0 to 100' });
    await most.fill('100');
    await most.press('Tab');
    await page.getByText(/^\d+ of \d+ decisions would change:$/).waitFor();
    await unharmed(page, 'what if');
    assert.deepEqual(tripped, []);
    await close();
  },
};
