// The widget in a page of another origin, which allows as little as it can: it asks, shows footnotes and refusals, and
// nothing of what a server or a document says runs there.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { accessible, adminKey, url, visit } from './harness.mjs';
import { slice } from './payloads.mjs';
import { answered, citation, streamed } from './replies.mjs';

const MEALS = 'What is the daily limit for meals on a business trip?';
const NOWHERE = 'Who painted the ceiling of the chapel?';
/** What a page must allow for the widget, and nothing more. */
const ALLOWED = [
  "default-src 'none'",
  `script-src ${url}`,
  `connect-src ${url}`,
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html',
].join('; ');

/** A site of somebody else, on an origin of its own. */
async function site(tag, lang = 'en') {
  const server = createServer((request, reply) => {
    if (request.url !== '/') return reply.writeHead(204).end();
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': ALLOWED });
    reply.end(`<!doctype html><html lang="${lang}"><head><title>Intranet</title></head>
      <body><main><h1>Intranet</h1><p>Welcome.</p><div id="help"></div>${tag()}</main></body></html>`);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { home: `http://127.0.0.1:${server.address().port}`, end: () => server.close() };
}

async function keyFor(origin) {
  const reply = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Widget', role: 'asker', origins: [origin], expires_in_days: 1 }),
  });
  assert.equal(reply.status, 201, await reply.clone().text());
  return (await reply.json()).secret;
}

async function embedded(browser, { lang = 'en', attributes = '', keyOf = keyFor, prepare } = {}) {
  let key = '';
  const made = await site(() => `<script src="${url}/embed.js" data-key="${key}" ${attributes} defer></script>`, lang);
  key = await keyOf(made.home);
  const visited = await visit(browser, { signedIn: false, home: made.home, prepare });
  return {
    ...visited,
    key,
    home: made.home,
    async close() {
      await visited.close();
      made.end();
    },
  };
}

async function ask(page, question) {
  const field = page.getByRole('textbox', { name: /Your question|Ihre Frage/ });
  await field.fill(question);
  await field.press('Enter');
  const turn = page.getByRole('article', { name: question }).last();
  await turn.getByText(/^(Answered from|Not answered|Aus \d+|Nicht beantwortet|Something went wrong)/).waitFor();
  return turn;
}

export const embedding = {
  async 'the widget asks from a page of another origin, with footnotes and a refusal'(browser) {
    const { page, tripped, close, key, home } = await embedded(browser);
    await page.getByRole('region', { name: 'Questions and answers' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true, 'it takes no focus');
    await accessible(page, 'widget, empty');
    const turn = await ask(page, MEALS);
    await turn.getByText(/^Answered from/).waitFor();
    await accessible(page, 'widget, answer');

    const note = turn.getByRole('button', { name: /^Source \d+: / }).first();
    await note.focus();
    await page.keyboard.press('Enter');
    const cited = page.getByRole('dialog');
    await cited.locator('mark').first().waitFor();
    const said = (await turn.locator('.text').innerText()).replace(/\s+/g, ' ').toLowerCase();
    for (const words of await cited.locator('mark').allInnerTexts()) {
      assert.ok(said.includes(words.replace(/\s+/g, ' ').toLowerCase()), `${words} is not in ${said}`);
    }
    await accessible(page, 'widget, source');
    await page.keyboard.press('Escape');
    await cited.waitFor({ state: 'detached' });
    await page.waitForFunction(() => {
      const { shadowRoot } = document.activeElement;
      return shadowRoot?.activeElement?.getAttribute('aria-label')?.startsWith('Source ');
    });

    const refused = await ask(page, NOWHERE);
    await refused.getByText('No answer', { exact: true }).waitFor();
    assert.equal(await refused.locator('.nearest button').count(), 0, 'near misses are named, not opened');
    await accessible(page, 'widget, refusal');
    assert.deepEqual(tripped, []);

    // The key asks and does nothing else, for its own page and no other.
    const headers = { Authorization: `Bearer ${key}`, Origin: home };
    for (const path of ['/v1/documents', '/v1/conversations', '/v1/keys', '/auth/me']) {
      assert.equal((await fetch(`${url}${path}`, { headers })).status, 403, path);
    }
    await close();
  },

  async 'a page of a foreign origin is refused, and the widget says so'(browser) {
    const foreign = { keyOf: () => keyFor('https://elsewhere.example.org') };
    const { page, tripped, close } = await embedded(browser, foreign);
    const turn = await ask(page, MEALS);
    await turn.getByText('Or the key is not for this page.').waitFor();
    assert.equal(await turn.locator('.text').count(), 0);
    // The messages are the browser's own, about the reply that it keeps from the page.
    assert.ok(
      tripped.every((what) => /CORS policy|Failed to load resource/.test(what)),
      tripped.join('\n'),
    );
    await close();
  },

  async 'in German, within an element, in the dark, and narrow'(browser) {
    const { page, tripped, close } = await embedded(browser, {
      lang: 'de-AT',
      attributes: 'data-target="#help" data-theme="auto"',
    });
    await page.locator('#help').getByRole('textbox', { name: 'Ihre Frage' }).waitFor();
    const turn = await ask(page, MEALS);
    await turn.getByText(/^Aus \d+ Quellen? beantwortet/).waitFor();
    for (const colorScheme of ['dark', 'light']) {
      for (const width of [320, 1280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await accessible(page, `widget, ${colorScheme}, ${width}`);
      }
    }
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'hostile words stay words in the widget'(browser) {
    const payloads = slice(40);
    const { page, tripped, close } = await embedded(browser);
    for (const payload of payloads) {
      const cited = citation(1, { document_name: payload, section: payload, address: payload, snippet_full: payload });
      const sentences = [{ text: `${payload} and so on.[1]`, citations: [cited] }];
      const answer = { ...answered(sentences, [cited]), warnings: [payload], rewritten_question: payload };
      await page.route('**/v1/answers', (route) =>
        route.request().method() === 'OPTIONS'
          ? route.continue()
          : route.fulfill({
              ...streamed(sentences, answer),
              headers: { 'access-control-allow-origin': new URL(page.url()).origin },
            }),
      );
      const turn = await ask(page, 'hostile');
      await turn
        .getByRole('button', { name: /^Source 1: / })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await page.unroute('**/v1/answers');
    }
    const inside = await page.evaluate(() => {
      const { shadowRoot } = [...document.querySelectorAll('div')].find((element) => element.shadowRoot);
      const strange = shadowRoot.querySelectorAll('img, script, iframe, object, embed, link, a[href^="javascript"]');
      return [strange.length, typeof globalThis.hit];
    });
    assert.deepEqual(inside, [0, 'undefined']);
    await accessible(page, 'widget, hostile');
    assert.deepEqual(tripped, []);
    await close();
  },
};
