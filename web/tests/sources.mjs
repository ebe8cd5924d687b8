// Sources of an answer: their numbers, copies with them, links to an answer, and checking it again.
import assert from 'node:assert/strict';
import { accessible, adminKey, ask, url, visit } from './harness.mjs';
import { answered, citation, streamed } from './replies.mjs';

const MEALS = 'What is the daily limit for meals on a business trip?';

/** Two sources, which the engine counts 7 and 3, and a document that has numbers in brackets of its own. */
function numbered() {
  const travel = citation(7, {
    document_name: 'Travel & {meals}',
    address: 'FIN-07',
    snippet_full: 'Lunch costs 15 EUR.',
  });
  const gate = citation(3, {
    document_name: 'Gates',
    snippet_full: 'The code of the gate is 4711 [3] and changes in May [7].',
  });
  const sentences = [
    { text: 'Lunch costs 15 EUR.[7] ', citations: [travel] },
    { text: 'The code of the gate is 4711 [3] and changes in May [7].[3]', citations: [gate] },
  ];
  return { sentences, answer: answered(sentences, [gate, travel]) };
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

async function copy(page, turn, name) {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await turn.getByRole('button', { name, exact: true }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== '');
  return clipboard(page);
}

export const sources = {
  async 'sources are numbered as a reader meets them, and what a document has in brackets is no footnote'(browser) {
    const { page, tripped, close } = await visit(browser);
    const { sentences, answer } = numbered();
    await page.route('**/v1/answers', (route) => route.fulfill(streamed(sentences, answer)));
    const turn = await ask(page, 'numbers');
    assert.deepEqual(await turn.locator('.note').allInnerTexts(), ['1', '2']);
    assert.match(await turn.locator('.text').innerText(), /4711 \[3\] and changes in May \[7\]\.\s*2/);
    await turn.getByRole('button', { name: /^Source 1: Travel/ }).waitFor();
    await turn.getByRole('button', { name: /^Source 2: Gates/ }).waitFor();
    assert.deepEqual(await turn.getByRole('region', { name: 'Sources' }).locator('.marker').allInnerTexts(), [
      '1',
      '2',
    ]);

    await turn.getByRole('button', { name: 'Copy', exact: true }).click();
    const plain = await copy(page, turn, 'Copy as text');
    assert.ok(plain.startsWith('Lunch costs 15 EUR.[1] The code of the gate is 4711 \\[3\\] and'), plain);
    assert.match(plain, /May \\\[7\\\]\.\[2\]\n\n\[1\] Travel.+\n\[2\] Gates/);
    const markdown = await copy(page, turn, 'Copy as Markdown');
    assert.match(markdown, /EUR\.\[\^1\] The code of the gate is 4711 \\\[3\\\] and changes in May \\\[7\\\]\.\[\^2\]/);
    assert.match(markdown, /\n\[\^1\]: Travel .+\n\[\^2\]: Gates/);
    const bibtex = await copy(page, turn, 'Copy as BibTeX');
    assert.match(bibtex, /^@misc\{FIN-07-1,\n {2}title = \{\{Travel \\& \\\{meals\\\}\}\},\n/);
    assert.match(bibtex, /\n\n@misc\{Gates-2,\n[\s\S]*\n {2}year = \{2026\},\n[\s\S]*\n\}$/);
    assert.ok(!bibtex.includes('javascript:'), bibtex);
    await accessible(page, 'copies');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a link leads to the answer, and who may not read it gets the question'(browser) {
    const { page, tripped, close } = await visit(browser);
    const turn = await ask(page, MEALS);
    await turn.getByText(/^Answered from/).waitFor();
    await turn.getByRole('button', { name: 'Copy', exact: true }).click();
    const link = await copy(page, turn, 'Copy link');
    assert.ok(link.startsWith(`${url}/#/answer/`), link);
    await page.goto(`${url}/`);
    await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
    await page.goto(link);
    await page.getByRole('article', { name: MEALS }).waitFor();
    assert.equal(page.url(), `${url}/`);
    assert.deepEqual(tripped, []);
    await close();

    const other = await visit(browser, { as: adminKey, path: link.slice(url.length) });
    await other.page.getByText('The link leads to an answer that is not yours').waitFor();
    await accessible(other.page, 'foreign answer');
    const field = other.page.getByRole('textbox', { name: 'Your question' });
    assert.equal(await field.inputValue(), MEALS);
    assert.equal(await other.page.getByRole('article').count(), 0, 'nothing is asked by itself');
    await field.press('Enter');
    await other.page.getByText(/^Answered from/).waitFor();
    // The one message is the browser's own, about the reply 404.
    assert.deepEqual(
      other.tripped.filter((what) => !what.includes('404')),
      [],
    );
    await other.close();
  },

  async 'a link to a passage shows it, and says where the document is another by now'(browser) {
    const { page, tripped, close } = await visit(browser);
    const replied = page.waitForResponse((reply) => reply.url().includes('/v1/documents/') && reply.ok());
    const turn = await ask(page, MEALS);
    await turn.getByText(/^Answered from/).waitFor();
    await turn.locator('.note').first().click();
    const { document_id, document_sha256 } = await (await replied).json();
    const link = (of) => `${url}/#/passage/${document_id}/0?of=${of}`;
    await page.goto(link(document_sha256.slice(0, 12)));
    const source = page.getByRole('complementary');
    // It is a PDF: the page itself, with the passage marked.
    await source.getByText('page 1 of 3').waitFor();
    await source.locator('mark').first().waitFor();
    assert.equal(page.url(), `${url}/`, 'it is followed once');
    assert.equal(await source.getByText('newer version').count(), 0);
    await accessible(page, 'linked passage');
    await page.goto(link('f'.repeat(12)));
    await source.getByText('a newer version than the one that was cited').waitFor();
    assert.deepEqual(tripped, []);
    await page.goto(`${url}/#/passage/${crypto.randomUUID()}/0`);
    await source.getByText('no longer there').waitFor();
    await close();
  },

  async 'an answer is checked again, sentence by sentence'(browser) {
    const { page, tripped, close } = await visit(browser);
    const turn = await ask(page, MEALS);
    await turn.getByText(/^Answered from/).waitFor();
    await turn.getByRole('button', { name: 'Check again' }).click();
    await turn
      .getByText(/^Checked against the documents as they are now: (the sentence holds|all \d+ sentences hold)/)
      .waitFor();
    await turn.getByText('Holds: its source is unchanged and says so.').first().waitFor();
    await accessible(page, 'checked again');

    // As if the document had a newer version.
    await page.route('**/v1/documents/*', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: { ...(await reply.json()), document_sha256: 'f'.repeat(64) } });
    });
    await page.route('**/v1/claims', (route) =>
      route.fulfill({ json: { request_id: crypto.randomUUID(), verdict: 'contradicted', passages: [] } }),
    );
    await turn.getByRole('button', { name: 'Check again' }).click();
    await turn.getByText('The document has a newer version, which says otherwise.').first().waitFor();
    await turn.getByText(/: 0 of \d+ sentences? still hold/).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },
};
