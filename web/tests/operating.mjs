// The operating page: how it goes, who may come in, by which rules, and what was done.
import assert from 'node:assert/strict';
import { accessible, adminKey, ask, url, visit } from './harness.mjs';

export const operating = {
  async 'an admin sees how it goes and what was done'(browser) {
    const asker = await visit(browser);
    const question = 'How high is the flagpole?';
    await ask(asker.page, question);
    await asker.close();
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating' });
    await page.getByText('Every part of this server answers.').waitFor();
    // What is counted comes from records, which are written a moment after an answer.
    await page.waitForFunction(
      () => {
        const shown = document.querySelector('dl.numbers dd')?.textContent;
        if (shown && shown !== '0') return true;
        const select = document.querySelector('select');
        if (!select) return false;
        select.value = [...select.options].find((option) => option.value !== select.value).value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
        return false;
      },
      null,
      { polling: 500 },
    );
    await page.getByRole('img', { name: 'Questions by day' }).waitFor();
    await page.getByRole('group').getByText('Questions by day').click();
    await page.getByRole('columnheader', { name: 'Not answered' }).waitFor();
    await page.getByRole('button', { name: 'Look at the last 20 questions' }).click();
    await page.getByText('The whole question').waitFor();
    await accessible(page, 'overview');

    await page.getByRole('link', { name: 'Records' }).click();
    await page.getByLabel('Action').selectOption('answer.ask');
    const asked = page.getByRole('button', { name: question }).first();
    await page.waitForFunction(
      (question) => {
        if ([...document.querySelectorAll('tbody button')].some((button) => button.textContent === question))
          return true;
        document.querySelector('form[role=search]').requestSubmit();
        return false;
      },
      question,
      { polling: 500 },
    );
    await asked.press('Enter');
    await page.getByText('The record of the question').waitFor();
    await page.getByText(/^Took [\d.]+ s · /).waitFor();
    await accessible(page, 'records');
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'an admin manages keys, groups and policy files'(browser) {
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating/access' });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Intranet');
    await page.getByLabel('Role').selectOption('curator');
    await page.getByLabel('Tags').fill('staff');
    await page.getByLabel('Hands documents in to').fill('ADR, Staff handbook');
    await accessible(page, 'new key');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const secret = await page.getByRole('status').locator('code').innerText();
    const me = await fetch(`${url}/auth/me`, { headers: { Authorization: `Bearer ${secret}` } });
    assert.deepEqual([me.status, (await me.json()).role], [200, 'curator']);
    await accessible(page, 'keys');
    const row = page.getByRole('row').filter({ hasText: 'Intranet' });
    await row.getByText('ADR, Staff handbook').waitFor();
    await row.getByRole('button', { name: 'Revoke Intranet' }).click();
    await row.getByRole('button', { name: 'Revoke now' }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    assert.equal((await fetch(`${url}/auth/me`, { headers: { Authorization: `Bearer ${secret}` } })).status, 401);

    await page.getByRole('button', { name: 'Give a group a role' }).click();
    await page.getByLabel('Name').fill('/staff/editors');
    await page.getByLabel('Role').selectOption('curator');
    await page.getByLabel('Hands documents in to').fill('*');
    await page.getByRole('button', { name: 'Save' }).click();
    const group = page.getByRole('row').filter({ hasText: '/staff/editors' });
    await group.getByText('curator').waitFor();
    await group.getByText('*', { exact: true }).waitFor();
    await group.getByRole('button', { name: 'Remove: /staff/editors' }).click();
    await group.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('No group gives anything yet.').waitFor();
    await page.getByText('Nobody has signed in yet.').waitFor();

    await page.getByRole('link', { name: 'Policy files' }).click();
    await page.getByRole('row').filter({ hasText: 'Installation' }).getByText('In force').waitFor();
    await accessible(page, 'policy files');
    assert.deepEqual(tripped, []);
    // A file that cannot be used is not taken, and the page says why.
    await page.getByRole('button', { name: 'Change the rules' }).click();
    await page.getByLabel('The text of the policy file (YAML)').fill('nonsense: 1');
    await page.getByRole('button', { name: 'Put in force' }).click();
    await page
      .getByRole('alert')
      .getByText(/policy/)
      .waitFor();
    await close();
  },

  async 'a threshold is moved, by keyboard alone, and the page says which decisions would flip'(browser) {
    const question = 'What is the daily limit for meals on a business trip?';
    const asker = await visit(browser);
    await ask(asker.page, question);
    await asker.close();
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating/policies' });
    const recorded = async () => {
      const headers = { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ changes: { 'speak.confidence.cite_from': 100 } });
      const reply = await fetch(`${url}/v1/policies/what-if`, { method: 'POST', headers, body });
      return (await reply.json()).flips.some((flip) => flip.question === question);
    };
    // Records are written a moment after their answers.
    while (!(await recorded())) await new Promise((resolve) => setTimeout(resolve, 200));

    await page.getByRole('button', { name: 'Try other thresholds' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^\d+ decisions? can be made again\. /).waitFor();
    await accessible(page, 'thresholds');
    const slider = page.getByRole('slider', { name: 'Confidence that an answer needs, 0 to 100, slider' });
    await slider.focus();
    await page.keyboard.press('End');
    await page.getByText(/^\d+ of \d+ decisions? would change:$/).waitFor();
    const flip = page.getByRole('row').filter({ hasText: question }).first();
    assert.match(await flip.innerText(), /Answered[\s\S]*No answer was certain enough[\s\S]*threshold 100/);
    await accessible(page, 'flips');
    await page.setViewportSize({ width: 320, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await accessible(page, 'flips, 320 pixels, dark');
    await page.setViewportSize({ width: 1280, height: 900 });
    // The number beside it is moved with it, and can be written.
    const field = page.getByRole('spinbutton', { name: 'Confidence that an answer needs, 0 to 100' });
    assert.equal(await field.inputValue(), '100');
    await page.getByRole('button', { name: 'Back to the numbers in force' }).press('Enter');
    await page.getByText(/^\d+ decisions? can be made again\. /).waitFor();
    assert.equal(await field.inputValue(), '60');
    assert.equal(await page.getByRole('row').filter({ hasText: question }).count(), 0);
    await field.fill('99.5');
    await page.keyboard.press('Enter');
    await page.getByText(/^\d+ of \d+ decisions? would change:$/).waitFor();

    // What was tried is put in force by a step of its own, and taken back.
    await page.getByRole('button', { name: 'Write these numbers into a policy file' }).press('Enter');
    assert.match(await page.getByLabel('The text of the policy file (YAML)').inputValue(), /"cite_from": 99\.5/);
    await page.getByRole('button', { name: 'Put in force' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Whole organisation' }).filter({ hasText: 'In force' });
    await row.waitFor();
    await page.getByText('There is no decision yet that can be made again under this policy file.').waitFor();
    await page.getByText(/\d+ (was|were) decided under another policy file\./).waitFor();
    assert.equal(await field.inputValue(), '99.5');
    await row.getByRole('button', { name: 'Take back: Whole organisation' }).click();
    await row.getByRole('button', { name: 'Take back now' }).click();
    await page.getByText(/^\d+ decisions? can be made again\. /).waitFor();
    assert.deepEqual(tripped, []);
    // A number that no policy file may have is refused, and the page says why.
    await field.fill('101');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/must be from 0 to 100/)
      .waitFor();
    await close();
  },

  async 'the overview says how far documents are on their way in, and why one could not be read'(browser) {
    const form = new FormData();
    form.append('file', new Blob(['This is no PDF.']), 'broken-<b>scan.pdf');
    form.append('collection', 'Handbook');
    form.append('tags', 'public');
    const headers = { Authorization: `Bearer ${adminKey}` };
    assert.equal((await fetch(`${url}/v1/documents`, { method: 'POST', headers, body: form })).status, 202);
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating' });
    await page.getByRole('heading', { name: 'Documents on their way in' }).waitFor();
    // It looks again by itself while something waits.
    const row = page.getByRole('row').filter({ hasText: 'broken-<b>scan.pdf' });
    await row.waitFor();
    assert.match(await row.innerText(), /Handbook[\s\S]*\w{3}/);
    await page.getByText('Hand a document in again').waitFor();
    await page.getByText(/^Nothing is waiting\.\s+\d+ documents? read in the last hour\./).waitFor();
    await accessible(page, 'intake');
    await page.setViewportSize({ width: 320, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await accessible(page, 'intake, 320 pixels, dark');
    assert.deepEqual(tripped, []);
    await close();
  },
};
