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
    await accessible(page, 'new key');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const secret = await page.getByRole('status').locator('code').innerText();
    const me = await fetch(`${url}/auth/me`, { headers: { Authorization: `Bearer ${secret}` } });
    assert.deepEqual([me.status, (await me.json()).role], [200, 'curator']);
    await accessible(page, 'keys');
    const row = page.getByRole('row').filter({ hasText: 'Intranet' });
    await row.getByRole('button', { name: 'Revoke Intranet' }).click();
    await row.getByRole('button', { name: 'Revoke now' }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    assert.equal((await fetch(`${url}/auth/me`, { headers: { Authorization: `Bearer ${secret}` } })).status, 401);

    await page.getByRole('button', { name: 'Give a group a role' }).click();
    await page.getByLabel('Name').fill('/staff/editors');
    await page.getByLabel('Role').selectOption('curator');
    await page.getByRole('button', { name: 'Save' }).click();
    const group = page.getByRole('row').filter({ hasText: '/staff/editors' });
    await group.getByText('curator').waitFor();
    await group.getByRole('button', { name: 'Remove: /staff/editors' }).click();
    await group.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('No group gives anything yet.').waitFor();
    await page.getByText('Nobody has signed in yet.').waitFor();

    await page.getByRole('link', { name: 'Policy files' }).click();
    await page.getByRole('row').filter({ hasText: 'Installation' }).getByText('In force').waitFor();
    await accessible(page, 'policy files');
    assert.deepEqual(tripped, []);
    // A file that cannot be used is not taken, and the page says why.
    await page.getByRole('button', { name: 'Put a policy file in force' }).click();
    await page.getByLabel('The text of the policy file (YAML)').fill('nonsense: 1');
    await page.getByRole('button', { name: 'Put in force' }).click();
    await page
      .getByRole('alert')
      .getByText(/policy/)
      .waitFor();
    await close();
  },
};
