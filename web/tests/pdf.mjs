// The page of a PDF beside the answer: the marked words are the cited ones, and the text is there where it cannot be drawn.
import assert from 'node:assert/strict';
import { accessible, ask, visit } from './harness.mjs';

const MEALS = 'What is the daily limit for meals on a business trip?';
const folded = (text) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

async function opened(page) {
  const turn = await ask(page, MEALS);
  await turn.getByText(/^Answered from/).waitFor();
  await turn
    .getByRole('button', { name: /^Source \d+: / })
    .first()
    .click();
  return { turn, source: page.getByRole('complementary') };
}

export const pdf = {
  async 'a footnote opens the page of the PDF, and the marked words on it are the cited ones'(browser) {
    const loaded = [];
    const { page, tripped, close } = await visit(browser, {
      prepare: (page) => page.on('request', (request) => loaded.push(new URL(request.url()).pathname)),
    });
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    assert.equal(loaded.filter((path) => /pdf/i.test(path)).length, 0, `loaded too early: ${loaded}`);
    const { turn, source } = await opened(page);
    await source.locator('canvas').waitFor();
    await source.getByText(/^page \d+ of \d+$/).waitFor();
    const marked = await source.locator('.sheet mark').allInnerTexts();
    assert.ok(marked.length > 0, 'nothing is marked');
    const answer = folded((await turn.locator('.text').innerText()).replace(/\s\d+$/gm, ''));
    for (const words of marked) assert.ok(answer.includes(folded(words)), `${words} is not in the answer`);
    // The same words are marked in the text, and nothing else.
    const onPage = folded(marked.join(''));
    await accessible(page, 'page of a PDF');
    // The mark lies on ink: the canvas below it is not blank there.
    const ink = await page.evaluate(() => {
      const canvas = document.querySelector('.sheet canvas');
      const [mark, paper] = [document.querySelector('.sheet mark'), canvas].map((one) => one.getBoundingClientRect());
      const dense = canvas.width / paper.width;
      const box = [mark.left - paper.left, mark.top - paper.top, mark.width, mark.height].map((side) =>
        Math.round(side * dense),
      );
      const { data } = canvas.getContext('2d').getImageData(...box);
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 300) dark++;
      return dark / (data.length / 4);
    });
    assert.ok(ink > 0.02, `only ${ink} of what is marked has ink`);
    await source.getByRole('button', { name: 'Text', exact: true }).click();
    await source.locator('.text mark').first().waitFor();
    const inText = folded((await source.locator('.text mark').allInnerTexts()).join(''));
    assert.equal(onPage, inText, 'the page marks other words than the text');
    await accessible(page, 'text of a PDF');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a PDF that cannot be drawn is shown as its text'(browser) {
    const { page, tripped, close } = await visit(browser);
    await page.route('**/v1/documents/*/original', (route) =>
      route.fulfill({ contentType: 'application/octet-stream', body: 'no PDF at all' }),
    );
    const { source } = await opened(page);
    await source.getByText('The page cannot be shown here. This is its text.').waitFor();
    await source.locator('.text mark').first().waitFor();
    await accessible(page, 'PDF that cannot be drawn');
    assert.deepEqual(tripped, []);
    await close();
  },
};
