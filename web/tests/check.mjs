// The pages in a real browser: ask, read the source, be refused, go on, say what it was worth.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { confirming } from './confirming.mjs';
import { curating } from './curating.mjs';
import { embedding } from './embedding.mjs';
import { accessible, ask, key, launch, url, visit } from './harness.mjs';
import { hostilePages } from './hostile_pages.mjs';
import { library } from './library.mjs';
import { managing } from './managing.mjs';
import { operating } from './operating.mjs';
import { pdf } from './pdf.mjs';
import { answered, citation } from './replies.mjs';
import { sources } from './sources.mjs';
import { vocabularies } from './vocabularies.mjs';

const MEALS = 'What is the daily limit for meals on a business trip?';
const NOWHERE = 'Who painted the ceiling of the chapel?';
const NEARBY = 'How many days of leave do interns have?';

const tests = {
  async 'a key opens the page and stays out of the address'(browser) {
    const { page, tripped, close } = await visit(browser, { signedIn: false });
    await accessible(page, 'door');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    assert.equal(page.url(), `${url}/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    assert.deepEqual(tripped, []);
    await page.getByLabel('API key').fill('ibk_wrong');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('This key is not valid.').waitFor();
    await close();
  },

  async 'where people sign in, the page offers it and uses the session'(browser) {
    let isKnown = false;
    const sent = [];
    const prepare = async (page) => {
      // As the server writes it where an identity provider is configured.
      await page.route(`${url}/`, async (route) => {
        const page = await route.fetch();
        const body = (await page.text()).replace('content="none"', `content="${isKnown ? 'session' : 'provider'}"`);
        await route.fulfill({ response: page, body });
      });
      const me = { subject_id: 'person:1', name: 'Ada', role: 'asker', tags: [] };
      await page.route('**/auth/me', (route) => route.fulfill(isKnown ? { json: me } : { status: 401, json: {} }));
      await page.route('**/v1/conversations', (route) => {
        sent.push(route.request().headers());
        return route.fulfill({ status: 503, json: {} });
      });
    };
    const stranger = await visit(browser, { signedIn: false, prepare });
    const link = stranger.page.getByRole('link', { name: 'Sign in' });
    assert.equal(await link.getAttribute('href'), '/auth/login?return_to=/');
    await stranger.close();
    isKnown = true;
    const { page, close } = await visit(browser, { signedIn: false, prepare });
    await page.getByText('Ada').waitFor();
    await ask(page, MEALS);
    await page.getByText('The server is busy.').waitFor();
    assert.equal(sent[0]['x-ibidem-request'], '1');
    assert.equal(sent[0].authorization, undefined);
    await close();
  },

  async 'an answer names its sources, and a footnote opens the quoted words'(browser) {
    const { page, tripped, close } = await visit(browser);
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    await accessible(page, 'empty page');
    const turn = await ask(page, MEALS);
    await turn.getByText(/^Answered from \d+ sources? in [\d.]+ s$/).waitFor();
    await accessible(page, 'answer');
    await turn.getByText(/^Confidence/).click();
    await turn.getByText('How well the search went').waitFor();

    const note = turn.getByRole('button', { name: /^Source \d+: / }).first();
    await note.focus();
    await page.keyboard.press('Enter');
    const source = page.getByRole('complementary');
    // Of a PDF the page itself is shown first; its text is a click away.
    await source.getByRole('button', { name: 'Text', exact: true }).click();
    await source.locator('.text mark').first().waitFor();
    const quoted = (await source.locator('mark').allInnerTexts()).join(' ');
    assert.match(quoted, /EUR|meal/i, quoted);
    const answered = (await turn.locator('.text').innerText()).replace(/\s+/g, ' ');
    for (const words of await source.locator('mark').allInnerTexts()) {
      assert.ok(
        answered.toLowerCase().includes(words.replace(/\s+/g, ' ').toLowerCase()),
        `${words} is not in ${answered}`,
      );
    }
    // It is scrolled to, once it is there.
    await page.waitForFunction(() => {
      const mark = document.querySelector('aside .text mark');
      const [box, around] = [mark.getBoundingClientRect(), mark.parentElement.getBoundingClientRect()];
      return box.top >= around.top && box.bottom <= around.bottom;
    });
    await accessible(page, 'source');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      source.getByRole('button', { name: 'Download the original' }).click(),
    ]);
    assert.match(file.suggestedFilename(), /\.pdf$/);
    await page.keyboard.press('Escape');
    await source.waitFor({ state: 'detached' });
    // The focus returns to the footnote.
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label')?.startsWith('Source '));

    await turn.getByRole('button', { name: 'Copy', exact: true }).click();
    await turn.getByRole('button', { name: 'Copy as Markdown' }).click();
    await turn.getByText('Copied').waitFor();
    assert.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      /\[\^(\d+)\][\s\S]*\n\[\^\1\]: .+version 1/,
    );
    await turn.getByRole('button', { name: 'Copy as text' }).click();
    await page.waitForFunction(async () => /\n\[\d+\] .+version 1/.test(await navigator.clipboard.readText()));
    await turn.getByRole('button', { name: 'Helpful', exact: true }).click();
    await turn.getByText('Thank you').waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a refusal says why, what came nearest, and what to ask instead'(browser) {
    const { page, tripped, close } = await visit(browser);
    const turn = await ask(page, NEARBY);
    await turn.getByText('No answer', { exact: true }).waitFor();
    await turn.getByText('I found no passage that answers this. The closest are below:').waitFor();
    await turn.locator('.nearest mark').first().waitFor();
    assert.doesNotMatch(await turn.innerText(), /probability|threshold|\d\.\d{3}/i, 'numbers are behind a word');
    await turn.getByText('The numbers').click();
    await turn
      .getByText(/ \d+\s?%, needed \d+\s?%$/)
      .first()
      .waitFor();
    await turn.getByRole('columnheader', { name: 'Threshold' }).waitFor();
    await accessible(page, 'refusal');
    await turn.locator('.nearest').getByRole('button').first().click();
    await page.getByRole('complementary').locator('.passage').first().waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await turn.getByRole('button', { name: 'Not helpful' }).click();
    await turn.getByLabel('What is wrong?').selectOption('The documents do answer this');
    await turn.getByLabel('In your own words (optional)').fill('It is in the leave policy.');
    await accessible(page, 'complaint');
    await turn.getByRole('button', { name: 'Send' }).click();
    await turn.getByText('Thank you').waitFor();
    // What is asked is the query that the offer stands for, in fewer words than are shown.
    await turn.locator('.questions button').first().click();
    const next = page.getByRole('article').last();
    await next.getByText(/^Answered from/).waitFor();
    // The search is in the library, and one comes back to the conversation.
    await turn.getByRole('link', { name: `Search the documents for “${NEARBY}”` }).click();
    await page.getByRole('heading', { name: `Passages for “${NEARBY}”` }).waitFor();
    await page.locator('main mark').first().waitFor();
    await page.goBack();
    await next.getByText(/^Answered from/).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'conversations are kept, found, opened, saved, renamed and deleted'(browser) {
    const { page, tripped, close } = await visit(browser);
    await ask(page, NOWHERE);
    await ask(page, MEALS);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    await page.getByRole('button', { name: 'Show conversations' }).click();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('searchbox').fill('ceiling of');
    const entry = list.getByRole('button', { name: NOWHERE, exact: true });
    await entry.waitFor();
    await accessible(page, 'conversations');
    await entry.click();
    await page.getByRole('article', { name: MEALS }).waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.getByRole('button', { name: 'Show conversations' }).click();
    await list.getByRole('searchbox').fill('ceiling of');
    await list.getByRole('button', { name: `More for “${NOWHERE}”` }).click();
    await accessible(page, 'what can be done with a conversation');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      list.getByRole('button', { name: 'Save as Markdown' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'Who painted the ceiling of the chapel.md');
    const saved = readFileSync(await file.path(), 'utf8');
    assert.ok(saved.startsWith(`# ${NOWHERE}\n\n## ${NOWHERE}\n\nI found no passage`), saved);
    assert.match(
      saved,
      /\n## What is the daily limit[\s\S]+\[\^1\][\s\S]+\n\[\^1\]: Travel and Expenses Handbook.+version 1/,
    );

    await list.getByRole('button', { name: `More for “${NOWHERE}”` }).click();
    await list.getByRole('button', { name: 'Rename' }).click();
    await page.keyboard.type('The ceiling of <b>');
    await accessible(page, 'a conversation being renamed');
    await page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'The ceiling of <b>', exact: true }).waitFor();
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label')?.startsWith('More for'));
    await page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'Delete', exact: true }).click();
    await list.getByRole('button', { name: 'Delete for good' }).click();
    await list.getByText('No conversation has these words').waitFor();
    assert.equal(await page.getByRole('article').count(), 0);
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a follow-up is understood by what was asked before'(browser) {
    const { page, tripped, close } = await visit(browser);
    await ask(page, 'How much does the Institute pay for a kilometre in my own car?');
    const next = await ask(page, 'And for a passenger?');
    await next.getByText(/^Answered from/).waitFor();
    await next.getByText('Searched for: How much does the Institute pay for a passenger?').waitFor();
    assert.match(await next.locator('.text').innerText(), /EUR 0\.06/);
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a term with two meanings is asked back about, and a choice is a click'(browser) {
    const { page, tripped, close } = await visit(browser);
    const turn = await ask(page, 'What is mercury?');
    await turn.getByText('Asked back', { exact: true }).waitFor();
    await turn.getByText('Which one do you mean?').waitFor();
    await accessible(page, 'question back');
    await turn.getByRole('button', { name: 'mercury (planets)', exact: true }).click();
    const chosen = page.getByRole('article', { name: 'What is mercury (planets)?' });
    await chosen.getByText(/^Answered from/).waitFor();
    await chosen.getByRole('button', { name: /^Source 1: / }).click();
    const source = page.getByRole('complementary', { name: 'mercury (planets)' });
    await source.getByText('The planet that is nearest to the Sun.').waitFor();
    await source.getByText('A term of the vocabulary').waitFor();
    await accessible(page, 'a meaning');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'by keyboard alone: ask, open a footnote, close it, and go on'(browser) {
    const { page, tripped, close } = await visit(browser, { reducedMotion: 'no-preference' });
    // The field has the focus already.
    await page.waitForFunction(() => document.activeElement?.id === 'question');
    await page.keyboard.type(MEALS);
    await page.keyboard.press('Enter');
    const turn = page.getByRole('article', { name: MEALS });
    await turn.getByRole('button', { name: 'Ask again' }).waitFor();
    await accessible(page, 'answer, with motion');
    const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? '');
    await page.evaluate(() => document.activeElement.blur());
    for (let step = 0; step < 20 && !(await focused()).startsWith('Source '); step++) await page.keyboard.press('Tab');
    assert.match(await focused(), /^Source 1: /);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.id === 'source-title');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label')?.startsWith('Source 1: '));
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'at 200 % zoom, of the window and of the letters'(browser) {
    // A window of 1280 by 900 pixels at 200 % has half as many for the page.
    const { page, tripped, close } = await visit(browser, { width: 640, height: 450, deviceScaleFactor: 2 });
    const answer = await ask(page, MEALS);
    await ask(page, NOWHERE);
    await accessible(page, 'answer and refusal, 200 %');
    await answer
      .getByRole('button', { name: /^Source \d+: / })
      .first()
      .click();
    await page.getByRole('complementary').locator('mark').first().waitFor();
    await accessible(page, 'source, 200 %');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    await accessible(page, 'answer and refusal, letters of 200 %');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'in German'(browser) {
    const { page, tripped, close } = await visit(browser, { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Fragen Sie Ihre Dokumente' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    const answer = await ask(page, MEALS);
    await answer.getByText(/^Aus \d+ Quellen? beantwortet in \d+,\d s$/).waitFor();
    const refusal = await ask(page, 'Wer hat die Decke der Kapelle bemalt?');
    await refusal.getByText('Keine Antwort', { exact: true }).waitFor();
    const said = await refusal.locator('.refusal > p').allInnerTexts();
    assert.match(said[0], /^Ich habe keine Stelle gefunden, die das beantwortet\./);
    assert.doesNotMatch(said.join(' '), /\b(the|passage|documents|answer)\b/i, 'no English around it');
    await accessible(page, 'German');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'light and dark, from 320 to 2560 pixels'(browser) {
    const { page, tripped, close } = await visit(browser);
    const answer = await ask(page, MEALS);
    await ask(page, NOWHERE);
    for (const colorScheme of ['dark', 'light']) {
      for (const width of [320, 1280, 2560]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await accessible(page, `answer and refusal, ${colorScheme}, ${width}`);
        await answer
          .getByRole('button', { name: /^Source \d+: / })
          .first()
          .click();
        await page.getByRole('complementary').locator('mark').first().waitFor();
        await accessible(page, `source, ${colorScheme}, ${width}`);
        await page.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('complementary').waitFor({ state: 'detached' });
      }
    }
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'the newest answer is in view, whatever was asked before'(browser) {
    const { page, tripped, close } = await visit(browser, { height: 700 });
    for (const question of [MEALS, NOWHERE, MEALS]) await ask(page, question);
    const newest = page.getByRole('article').last();
    const [top, head, first] = await newest.evaluate((article) =>
      [article, document.querySelector('header'), article.querySelector('.text')].map((element) =>
        Math.round(element.getBoundingClientRect()[element.tagName === 'HEADER' ? 'bottom' : 'top']),
      ),
    );
    assert.ok(Math.abs(top - head) <= 2, `the question is at ${top}, below a head of ${head}`);
    assert.ok(first < 350, `its answer begins at ${first}`);
    // So it is for whoever comes back from another page.
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    await newest.waitFor();
    await page.waitForFunction(() => {
      const [article] = [...document.querySelectorAll('article')].slice(-1);
      return Math.abs(article.getBoundingClientRect().top - document.querySelector('header').offsetHeight) <= 2;
    });
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'while an answer is under way its sources and the seconds are shown'(browser) {
    const { page, tripped, close } = await visit(browser);
    const source = citation(1, { document_name: 'Parking', snippet_full: 'The gate opens at six.' });
    const said = [{ text: 'The gate opens at six.[1] ', citations: [source] }];
    // A stream that goes on until it is told to end.
    await page.evaluate(
      ({ said, answer }) => {
        const real = globalThis.fetch;
        globalThis.fetch = (path, request) => {
          if (path !== '/v1/answers') return real(path, request);
          const event = (name, data) => new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
          const body = new ReadableStream({
            start(stream) {
              globalThis.speak = () => stream.enqueue(event('sentence', said[0]));
              globalThis.end = () => {
                stream.enqueue(event('answer', answer));
                stream.close();
              };
            },
          });
          return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
        };
      },
      { said, answer: answered(said, [source]) },
    );
    const field = page.getByRole('textbox', { name: 'Your question' });
    await field.fill(MEALS);
    await field.press('Enter');
    const turn = page.getByRole('article', { name: MEALS });
    await turn.getByText('Searching the documents').waitFor();
    await turn.getByText(/^[2-9] s$/).waitFor();
    await page.evaluate(() => globalThis.speak());
    await turn.getByText('1 sentence checked, writing').waitFor();
    await turn
      .getByRole('region', { name: 'Sources' })
      .getByRole('button', { name: /Parking/ })
      .waitFor();
    await accessible(page, 'an answer under way');
    await page.evaluate(() => globalThis.end());
    await turn.getByText(/^Answered from 1 source in/).waitFor();
    assert.equal(await turn.getByText(/^\d+ s$/).count(), 0);
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a question can be stopped'(browser) {
    const { page, tripped, close } = await visit(browser);
    // Never answered: only stopping ends it.
    await page.route('**/v1/answers', () => {});
    const field = page.getByRole('textbox', { name: 'Your question' });
    await field.fill(MEALS);
    await field.press('Enter');
    await page.getByText('Searching the documents').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor();
    await page.unroute('**/v1/answers');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText(/^Answered from/).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a hostile document is shown as the text that it is'(browser) {
    const { page, tripped, close } = await visit(browser);
    const turn = await ask(page, 'What is the access code of the north gate?');
    await turn.getByText(/^Answered from/).waitFor();
    // The document's own numbers stand in round brackets, so that nobody takes them for footnotes; ours is behind the sentence.
    assert.match(await turn.locator('.text').innerText(), /every May \(1\) \(99\)\.\s*1/);
    await turn
      .getByRole('button', { name: /^Source 1: Parking/ })
      .first()
      .click();
    await page.getByRole('complementary').locator('mark').first().waitFor();
    assert.match(await page.getByRole('complementary').innerText(), /4711 <img src=x onerror=alert\(4\)>/);
    assert.equal(await page.locator('#app :is(img, script, iframe, object, embed, a[href^="javascript"])').count(), 0);
    assert.deepEqual(tripped, []);
    await close();
  },

  ...library,
  ...sources,
  ...pdf,
  ...embedding,
  ...vocabularies,
  ...confirming,
  ...curating,
  ...operating,
  ...managing,
  ...hostilePages,
};

const wanted = new RegExp(process.argv[2] ?? '');
const browser = await launch();
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (!wanted.test(name)) continue;
  const began = Date.now();
  try {
    await test(browser);
    console.log(`pages: ok ${((Date.now() - began) / 1000).toFixed(1)} s  ${name}`);
  } catch (error) {
    failed++;
    console.error(`pages: FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
