// The curating page: documents handed in, found, given other tags and taken away; questions answered by curators; gaps.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { accessible, adminKey, ask, curatorKey, key, url, visit } from './harness.mjs';

const GAP = 'Which tree is planted when somebody retires at Larkfield?';
const RETIREMENT = `---
title: Retirement
address: HR-77
---

# Retirement

## The tree

When somebody retires at Larkfield, a walnut tree is planted behind the workshop.
`;

const MUG = 'Which colour is the mug that everybody at Larkfield gets on the first day?';
const MUGS = `---
title: Mugs
address: HR-78
---

# Mugs

## The first day

On the first day everybody at Larkfield gets a mug. The colour of the mug is teal.
`;

/** The first four bytes of a number, the lowest first. */
const littleEndian = (number) => Buffer.from(Int32Array.of(number).buffer);

function rc4(key, bytes) {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + state[at] + key[at % key.length]) & 255;
    [state[at], state[other]] = [state[other], state[at]];
  }
  let [at, other] = [0, 0];
  return Buffer.from(bytes).map((byte) => {
    at = (at + 1) & 255;
    other = (other + state[at]) & 255;
    [state[at], state[other]] = [state[other], state[at]];
    return byte ^ state[(state[at] + state[other]) & 255];
  });
}

/** A PDF that opens with a password alone, by the oldest of the format's ways. */
function lockedPdf() {
  const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
  const password = Buffer.concat([Buffer.from('walnut'), padding]).subarray(0, 32);
  const md5 = (...parts) => createHash('md5').update(Buffer.concat(parts)).digest().subarray(0, 5);
  const [id, permissions] = [Buffer.alloc(16, 7), -4];
  const owner = rc4(md5(password), password);
  const key = md5(password, owner, littleEndian(permissions), id);
  const hex = (bytes) => `<${bytes.toString('hex')}>`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>',
    '<</Length 2>>stream\nxx\nendstream',
    `<</Filter/Standard/V 1/R 2/O${hex(owner)}/U${hex(rc4(key, padding))}/P ${permissions}>>`,
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${places.join('')}`;
  const trailer = `trailer\n<</Size 6/Root 1 0 R/Encrypt 5 0 R/ID[${hex(id)}${hex(id)}]>>`;
  return Buffer.from(`${text}${table}${trailer}\nstartxref\n${text.length}\n%%EOF\n`);
}

const file = (name, text, mimeType = 'text/markdown') => ({ name, mimeType, buffer: Buffer.from(text) });

/** Files dropped onto the page, as from a folder. */
async function drop(page, files) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, text } of files) data.items.add(new File([text], name, { type: 'text/markdown' }));
    return data;
  }, files);
  await page.getByRole('group', { name: 'Add documents' }).dispatchEvent('drop', { dataTransfer: data });
}

/** What a key sees of the documents with these words in their titles. */
async function documentsOf(key, words) {
  const query = new URLSearchParams({ words });
  const reply = await fetch(`${url}/v1/documents?${query}`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(reply.status, 200);
  return reply.json();
}

export const curating = {
  async 'a link that an owner got opens the question, ready to be pinned'(browser) {
    const path = `/#/curating/memory?${new URLSearchParams({ question: GAP })}`;
    const { page, tripped, close } = await visit(browser, { as: curatorKey, path });
    await page.getByRole('heading', { name: 'Curating' }).waitFor();
    const questions = page.getByLabel('Questions');
    await questions.first().waitFor();
    assert.equal(await questions.first().inputValue(), GAP);
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a curator hands documents in, finds one, and changes who sees it; an admin takes it away'(browser) {
    const { page, tripped, close } = await visit(browser, { as: curatorKey, path: '/#/curating' });
    await page.getByRole('heading', { name: 'Curating' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Operate' }).count(), 0);
    await page
      .getByRole('row', { name: /Travel/ })
      .first()
      .waitFor();
    await accessible(page, 'documents');
    const chooser = page.locator('input[type=file]');
    await chooser.setInputFiles(file('retirement.md', RETIREMENT));
    await page.getByText('Name a collection first.').waitFor();
    await page.getByLabel('Collection').first().fill('Handbook');
    const tagsOfUpload = page.getByLabel('Tags').first();
    assert.equal(await tagsOfUpload.inputValue(), '', 'nothing is shared by omission');
    await page.getByText('Your tags: board, people, staff.').waitFor();
    await tagsOfUpload.fill('board, people');
    await page.getByText('Whoever has one of these tags can see it: board, people.').waitFor();
    await tagsOfUpload.fill('public');
    await page.getByText('Everybody can see it.').waitFor();
    await tagsOfUpload.fill('');
    await page.getByText('Only you can see it.').waitFor();
    await drop(page, [{ name: 'retirement.md', text: RETIREMENT }]);
    const sent = page.getByRole('list', { name: 'Documents handed in' });
    await sent.getByText('Can be found now. Only you can see it.').waitFor();
    for (const other of [key, adminKey]) {
      const { documents } = await documentsOf(other, 'retire');
      assert.deepEqual(documents, [], 'nobody else sees it until its curator says so');
    }
    await drop(page, [{ name: 'retirement.md', text: RETIREMENT }]);
    await sent.getByText('Unchanged; nothing to do').waitFor();
    await accessible(page, 'documents handed in');

    await page.getByLabel('Find documents').fill('retire');
    const title = page.getByRole('button', { name: 'Retirement', exact: true });
    await title.waitFor();
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    await title.press('Enter');
    const tags = page.locator('.sheet').getByLabel('Tags');
    assert.match(await tags.inputValue(), /^key:[0-9a-f-]{36}$/);
    await page.locator('tbody tr').first().getByText('only you').waitFor();
    await tags.fill('staff, public');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('tbody tr').first().getByText('public').waitFor();
    await page.getByText(/^1 · Taken in/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Remove' }).count(), 0, 'only an admin removes');
    await accessible(page, 'a document');
    // What cannot be taken says why.
    await chooser.setInputFiles(file('tree.exe', 'x', 'application/octet-stream'));
    await sent.getByText(/is of no kind that can be read/).waitFor();
    assert.deepEqual(tripped, []);
    await close();

    const admin = await visit(browser, { as: adminKey, path: '/#/curating' });
    await admin.page.getByLabel('Find documents').fill('HR-77');
    await admin.page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    await admin.page.getByRole('button', { name: 'Retirement', exact: true }).click();
    await admin.page.getByRole('button', { name: 'Remove', exact: true }).click();
    await admin.page.getByRole('button', { name: 'Remove for good' }).click();
    await admin.page.getByText('No document fits.').waitFor();
    assert.deepEqual(admin.tripped, []);
    await admin.close();
  },

  async 'files that cannot be read stay listed with the reason in words, whatever page one looks at'(browser) {
    const locked = { name: 'salaries.pdf', mimeType: 'application/pdf', buffer: lockedPdf() };
    const files = [
      locked,
      file('empty.md', ''),
      // Office programs lock a document by putting it into a file of another kind.
      { name: 'plan.docx', mimeType: '', buffer: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) },
    ];
    const of = (page, name) =>
      page.getByRole('list', { name: 'Documents handed in' }).getByRole('listitem').filter({ hasText: name });
    for (const [as, why] of [
      [adminKey, 'It is protected by a password: save a copy without one.'],
      // A curator is not told by the server; the file itself gives a hint.
      [curatorKey, 'It has not been read yet. It seems to be protected by a password: save a copy without one.'],
    ]) {
      const { page, tripped, close } = await visit(browser, { as, path: '/#/curating' });
      await page.getByLabel('Collection').first().fill('Handbook');
      await page.locator('input[type=file]').setInputFiles(files);
      await of(page, 'empty.md').getByText('The file is empty.').waitFor();
      await of(page, 'plan.docx')
        .getByText(/^It is protected by a password, or saved in an older format/)
        .waitFor();
      await of(page, 'salaries.pdf')
        .getByText(/^Handed in, and being read/)
        .waitFor();
      await page.getByRole('link', { name: 'Library' }).click();
      await page.getByRole('heading', { name: 'Library' }).waitFor();
      await page.getByRole('link', { name: 'Curate', exact: true }).click();
      await of(page, 'salaries.pdf').getByText(why).waitFor();
      await accessible(page, 'what could not be read');
      await page.getByRole('button', { name: 'Clear what is done' }).click();
      await of(page, 'empty.md').waitFor({ state: 'detached' });
      assert.deepEqual(tripped, []);
      await close();
    }
  },

  async 'a file that did not arrive can be sent again'(browser) {
    const { page, close } = await visit(browser, { as: curatorKey, path: '/#/curating' });
    await page.getByLabel('Collection').first().fill('Handbook');
    await page.route('**/v1/documents', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await drop(page, [{ name: 'retirement.md', text: RETIREMENT }]);
    const sent = page.getByRole('list', { name: 'Documents handed in' });
    await sent.getByText('The server does not answer.').waitFor();
    await page.unroute('**/v1/documents');
    await sent.getByRole('button', { name: 'Send it again' }).click();
    await sent.getByText(/^(Can be found now|Unchanged|Its content is unchanged)/).waitFor();
    await close();
  },

  async 'a gap is found, sources are pinned to its question, and the entry is changed and removed'(browser) {
    const asker = await visit(browser);
    const refused = await ask(asker.page, GAP);
    await refused.getByText('No answer', { exact: true }).waitFor();
    await refused.getByRole('button', { name: 'Not helpful' }).click();
    await refused.getByLabel('In your own words (optional)').fill('Somebody knows.');
    await refused.getByRole('button', { name: 'Send' }).click();
    await refused.getByText('Thank you').waitFor();
    await asker.close();

    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/curating/gaps' });
    await page.getByRole('heading', { name: 'Did not help' }).waitFor();
    await page.getByText('Somebody knows.').first().waitFor();
    const found = page.getByRole('region', { name: 'Not answered' }).getByRole('listitem').filter({ hasText: GAP });
    // The record of a question is written a moment after its answer.
    await page.waitForFunction(
      async (question) => {
        const of = (name) => [...document.querySelectorAll('button')].find((button) => button.textContent === name);
        const look = of('Look through the last questions');
        if (document.querySelector('section[aria-labelledby=refused]').textContent.includes(question)) return true;
        if (!look.disabled) look.click();
        return false;
      },
      GAP,
      { polling: 500 },
    );
    await found.getByText(/^asked (once|\d+ times) by \d+ (person|people)/).waitFor();
    await accessible(page, 'gaps');
    await found.getByRole('button', { name: `Answer this: ${GAP}` }).click();

    await page.getByRole('heading', { name: 'Pin sources to a question' }).waitFor();
    assert.equal(await page.getByLabel('Questions').inputValue(), GAP);
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Try the question' }).click();
    await page.getByText('What an asker gets now').waitFor();
    await accessible(page, 'pin');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved\. It is used/).waitFor();
    const entry = page.getByRole('listitem').filter({ hasText: GAP }).first();
    await entry.getByText('1 source chosen').waitFor();
    await entry.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Questions').fill(`${GAP}\nWhat do people get when they retire?`);
    await page.getByRole('button', { name: 'Save' }).click();
    const changed = page.getByRole('listitem').filter({ hasText: 'What do people get when they retire?' }).first();
    await changed.waitFor();
    await accessible(page, 'curated answers');
    await changed.getByRole('button', { name: 'Remove' }).click();
    await changed.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('Nothing is curated yet.').waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a gap is closed: its answer is handed in and pinned to it, and whoever asks again gets it'(browser) {
    const asker = await visit(browser);
    await (await ask(asker.page, MUG)).getByText('No answer', { exact: true }).waitFor();

    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/curating' });
    await page.getByLabel('Collection').first().fill('Handbook');
    await page.getByLabel('Tags').first().fill('public');
    await drop(page, [{ name: 'mugs.md', text: MUGS }]);
    await page.getByRole('list', { name: 'Documents handed in' }).getByText('Can be found now').waitFor();
    await page.evaluate((question) => {
      location.hash = `#/curating/memory?${new URLSearchParams({ question })}`;
    }, MUG);
    await page.getByRole('heading', { name: 'Pin sources to a question' }).waitFor();
    await page.getByRole('checkbox', { name: /Mugs/ }).first().check();
    await page.getByLabel('Tags').first().fill('public');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved\. It is used/).waitFor();
    const entry = page.getByRole('listitem').filter({ hasText: MUG }).first();
    await entry.getByText('1 source chosen').waitFor();

    const answered = await ask(asker.page, MUG);
    await answered.getByText(/^Answered from/).waitFor();
    assert.match(await answered.locator('.text').innerText(), /teal/);
    assert.deepEqual(asker.tripped, []);
    await asker.close();
    await entry.getByRole('button', { name: 'Remove' }).click();
    await entry.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('Nothing is curated yet.').waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'an asker has no curating page, and a curator no operating page'(browser) {
    for (const [options, path] of [
      [{}, '/#/curating'],
      [{ as: curatorKey }, '/#/operating'],
    ]) {
      const { page, tripped, close } = await visit(browser, { ...options, path });
      await page.getByRole('heading', { name: 'Ask your documents' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Operate' }).count(), 0);
      assert.deepEqual(tripped, []);
      await close();
    }
  },
};
