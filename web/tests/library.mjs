// The library: the documents that an asker may see, what stands in them, and questions limited to some of them.
import assert from 'node:assert/strict';
import { accessible, adminKey, ask, key, url, visit } from './harness.mjs';

const LEAVE = 'How many days of leave do I have?';

/** Opens the library, and waits until it lists something. */
async function enter(browser, options = {}) {
  const visited = await visit(browser, { path: '/#/library', ...options });
  await visited.page.locator('main li').first().waitFor();
  return visited;
}

const titles = (page) => page.getByRole('region', { name: /^Documents/ }).locator('.title');

/** The collections that the last question was limited to. */
async function sentWith(page, act) {
  const [request] = await Promise.all([page.waitForRequest((request) => request.url().endsWith('/v1/answers')), act()]);
  return request.postDataJSON();
}

export const library = {
  async 'an asker finds the documents that they may see, and none of the others'(browser) {
    const listed = async (key) => {
      const reply = await fetch(`${url}/v1/documents?limit=200`, { headers: { authorization: `Bearer ${key}` } });
      return (await reply.json()).documents.map(({ document_name }) => document_name);
    };
    const { page, tripped, close } = await visit(browser);
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
    await titles(page).first().waitFor();
    assert.deepEqual((await titles(page).allInnerTexts()).sort(), (await listed(key)).slice(0, 50).sort());
    await page.getByText(/^HR-02 · Handbook · policy · updated /).waitFor();
    await accessible(page, 'library');

    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('leave');
    await page.getByRole('heading', { name: 'Documents with “leave” in their title' }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('main li').length === 1);
    assert.deepEqual(await titles(page).allInnerTexts(), ['Leave Policy']);
    await page.getByRole('searchbox').fill('zzz');
    await page.getByText('No document fits.').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Collection').selectOption('Handbook');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('main li .quiet')].every((row) => row.textContent.includes('Handbook')),
    );
    assert.equal(new URL(page.url()).hash, '#/library?collection=Handbook');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'passages are found with the words marked, and one opens beside them'(browser) {
    const { page, tripped, close } = await enter(browser);
    const field = page.getByRole('searchbox', { name: 'Search the documents' });
    await field.fill('carrying leave over');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Passages for “carrying leave over”' }).waitFor();
    const first = page
      .getByRole('region', { name: /^Passages/ })
      .getByRole('listitem')
      .first();
    await first.locator('mark').first().waitFor();
    assert.match(await first.innerText(), /^Leave Policy › Annual leave › Carrying leave over\n/);
    await accessible(page, 'passages');
    await first.getByRole('button').focus();
    await page.keyboard.press('Enter');
    const source = page.getByRole('complementary', { name: 'Leave Policy' });
    await source.locator('.passage').first().waitFor();
    assert.match(await source.locator('.passage').first().innerText(), /^Carrying leave over/);
    await accessible(page, 'a passage that was found');
    await page.keyboard.press('Escape');
    await source.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement.textContent.startsWith('Leave Policy'));

    await page.getByRole('button', { name: 'Ask it as a question' }).click();
    const question = page.getByRole('textbox', { name: 'Your question' });
    await page.waitForFunction(() => document.activeElement?.id === 'question');
    assert.equal(await question.inputValue(), 'carrying leave over');
    assert.equal(await page.getByRole('article').count(), 0, 'nothing is asked by itself');
    await page.goBack();
    await page.getByRole('heading', { name: 'Passages for “carrying leave over”' }).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a document opens with its sections, and is asked by itself'(browser) {
    const { page, tripped, close } = await enter(browser);
    await page.getByRole('button', { name: 'Leave Policy' }).click();
    const source = page.getByRole('complementary', { name: 'Leave Policy' });
    await source.getByText('This policy covers paid and unpaid leave').waitFor();
    assert.equal(await source.locator('.passage').count(), 0, 'nothing is marked in it');
    await source.getByText('Sections').click();
    await source.getByRole('button', { name: 'Requesting leave' }).waitFor();
    assert.deepEqual((await source.getByRole('listitem').allInnerTexts()).slice(0, 4), [
      'Annual leave',
      'Requesting leave',
      'Carrying leave over',
      'Sick leave',
    ]);
    await accessible(page, 'a document');
    await source.getByRole('button', { name: 'Sick leave' }).click();
    await source.locator('.passage').first().waitFor();
    await source.getByRole('button', { name: 'Parental leave' }).waitFor();

    await source.getByRole('button', { name: 'Ask this document' }).click();
    const question = page.getByRole('textbox', { name: 'Your question' });
    await page.waitForFunction(() => document.activeElement?.id === 'question');
    assert.equal(await question.inputValue(), 'HR-02: ');
    await page.keyboard.type('how many days of leave do I have?');
    const sent = await sentWith(page, () => page.keyboard.press('Enter'));
    assert.deepEqual(sent.collections, ['Handbook']);
    const turn = page.getByRole('article').last();
    await turn.getByText(/^Answered from/).waitFor();
    await turn.getByText('Asked in: Handbook').waitFor();
    for (const source of await turn.getByRole('region', { name: 'Sources' }).getByRole('listitem').allInnerTexts())
      assert.match(source, /Leave Policy/);
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'of a PDF the page itself is shown'(browser) {
    const { page, tripped, close } = await enter(browser);
    await page.getByRole('button', { name: /^Travel and Expenses/ }).click();
    const source = page.getByRole('complementary');
    await source.getByText('page 1 of 3', { exact: true }).waitFor();
    await accessible(page, 'a PDF');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'collections are chosen from when asking, and a new conversation asks all of them'(browser) {
    const { page, tripped, close } = await visit(browser);
    await page.getByText('All documents', { exact: true }).click();
    const choices = page.getByRole('group', { name: 'Ask in' });
    const handbook = choices.getByRole('checkbox', { name: 'Handbook' });
    await handbook.check();
    await accessible(page, 'collections');
    await page.keyboard.press('Escape');
    await handbook.waitFor({ state: 'hidden' });
    await page.waitForFunction(() => document.activeElement.tagName === 'SUMMARY');
    const field = page.getByRole('textbox', { name: 'Your question' });
    await field.fill(LEAVE);
    assert.deepEqual((await sentWith(page, () => field.press('Enter'))).collections, ['Handbook']);
    await page.getByText(/^Answered from/).waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await field.fill(LEAVE);
    assert.equal((await sentWith(page, () => field.press('Enter'))).collections, undefined);
    await page.getByText(/^Answered from/).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'the library in light and dark, from 320 to 2560 pixels, in German, and for an admin'(browser) {
    for (const [width, options] of [
      [320, { locale: 'de-DE' }],
      [640, { deviceScaleFactor: 2 }],
      [1280, { as: adminKey }],
      [2560, {}],
    ]) {
      const { page, tripped, close } = await enter(browser, { width, ...options, path: '/#/library?search=leave' });
      await page.locator('main mark').first().waitFor();
      for (const colorScheme of ['dark', 'light']) {
        await page.emulateMedia({ colorScheme });
        await accessible(page, `library, ${colorScheme}, ${width}`);
        await page.locator('main li .title').first().click();
        await page.getByRole('complementary').locator('.passage').first().waitFor();
        await accessible(page, `a passage, ${colorScheme}, ${width}`);
        await page.keyboard.press('Escape');
        await page.getByRole('complementary').waitFor({ state: 'detached' });
      }
      assert.deepEqual(tripped, []);
      await close();
    }
  },

  async 'a library that cannot be searched says so'(browser) {
    const { page, close } = await enter(browser);
    await page.route('**/v1/search', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('searchbox').fill(LEAVE);
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('The documents cannot be searched at the moment.').waitFor();
    await page.unroute('**/v1/search');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('main mark').first().waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await close();
  },

  async 'what is asked in the library lands in the conversation'(browser) {
    const { page, tripped, close } = await visit(browser);
    await ask(page, LEAVE);
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('button', { name: /^Your First Ninety Days/ }).click();
    await page.getByRole('button', { name: 'Ask in Handbook' }).click();
    await page.getByRole('article', { name: LEAVE }).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },
};
