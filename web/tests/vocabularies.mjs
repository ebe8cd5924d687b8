// The vocabulary browser, and the parts of the operating page about evaluation runs and limits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { accessible, adminKey, ask, curatorKey, visit } from './harness.mjs';
import { idOf } from './hostile.mjs';

const RUN = {
  id: idOf(0),
  ran_at: '2026-11-01T10:00:00Z',
  policy: 'handbook',
  policy_sha256: 'a'.repeat(64),
  version: '0.1.0',
  question_set: 'b'.repeat(40),
  answering_model: null,
  embedding_model: 'e5',
  documents: 12,
  questions: 60,
  passed: 54,
  targets_reached: true,
  risk_coverage: [
    { coverage: 0.2, risk: 0 },
    { coverage: 0.6, risk: 0.05 },
    { coverage: 0.9, risk: 0.1 },
  ],
  reliability: [
    { confidence: 0.65, right: 0.5, count: 6, low: 0.19, high: 0.81 },
    { confidence: 0.9, right: 0.95, count: 40, low: 0.84, high: 0.98 },
  ],
};

export const vocabularies = {
  async 'a curator finds a term, reads its definition and follows it to a broader one'(browser) {
    const { page, tripped, close } = await visit(browser, { as: curatorKey, path: '/#/curating/terms' });
    await page.getByText(/^\d+ terms$/).waitFor();
    await accessible(page, 'terms');
    await page.getByLabel('Find terms').fill('GIZMO1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('button', { name: 'gizmo1', exact: true }).click();
    const term = page.getByRole('article', { name: 'gizmo1' });
    await term.getByText('A gizmo1 is a thing with words on it.').waitFor();
    await page.waitForFunction(() => document.activeElement.id === 'term-title');
    await accessible(page, 'a term');
    await term.getByText('Broader').waitFor();
    const broader = term.getByRole('list').getByRole('button').first();
    const name = (await broader.innerText()).trim();
    await broader.click();
    await page.getByRole('article').getByText('Narrower').waitFor();
    assert.equal((await page.locator('#term-title').innerText()).trim(), name);
    await page.getByRole('article').getByRole('button', { name: 'gizmo1', exact: true }).click();
    await term.getByText('A gizmo1 is a thing with words on it.').waitFor();
    await page.getByLabel('Find terms').fill('no such term');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('0 terms').waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'a cited term is opened with its definition, and followed to a broader one and back'(browser) {
    const { page, tripped, close } = await visit(browser);
    const turn = await ask(page, 'What is a gizmo1?');
    await turn
      .getByRole('button', { name: /^Source 1: / })
      .first()
      .click();
    const source = page.getByRole('complementary');
    await source.getByText('A gizmo1 is a thing with words on it.').waitFor();
    await source.getByText('A term of the vocabulary').waitFor();
    await source.getByText('Broader', { exact: true }).waitFor();
    await accessible(page, 'a cited term');
    const broader = source.getByRole('listitem').getByRole('button').first();
    const name = (await broader.innerText()).trim();
    await broader.click();
    await source.getByRole('heading', { name, level: 3 }).waitFor();
    await source.getByText('Narrower', { exact: true }).waitFor();
    await accessible(page, 'a term that was followed');
    await source.getByRole('button', { name: 'Back to the cited term' }).click();
    await source.getByText('A gizmo1 is a thing with words on it.').waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'an admin compares evaluation runs by their plots'(browser) {
    const older = { ...RUN, id: idOf(1), ran_at: '2026-10-01T10:00:00Z', passed: 40, targets_reached: false };
    const runs = [RUN, { ...older, risk_coverage: [], reliability: [], answering_model: '<b>model</b>' }];
    const { page, tripped, close } = await visit(browser, {
      as: adminKey,
      path: '/#/operating/evaluations',
      prepare: (page) => page.route('**/v1/evaluations', (route) => route.fulfill({ json: { runs } })),
    });
    await page.getByText('54 of 60').waitFor();
    assert.equal(await page.getByRole('img', { name: 'Risk and coverage' }).locator('circle').count(), 3);
    assert.equal(await page.getByRole('img', { name: 'Reliability' }).locator('circle').count(), 2);
    await page.getByRole('group').getByText('Reliability: 2').click();
    await page.getByRole('cell', { name: '40', exact: true }).waitFor();
    await accessible(page, 'evaluation runs');
    await page.getByRole('row').filter({ hasText: '<b>model</b>' }).getByRole('button').click();
    await page.getByText('No question of this run was answered by a search').waitFor();
    assert.deepEqual(tripped, []);
    await close();

    const none = await visit(browser, { as: adminKey, path: '/#/operating/evaluations' });
    await none.page.getByText('No run is recorded yet.').waitFor();
    await accessible(none.page, 'no evaluation run');
    assert.deepEqual(none.tripped, []);
    await none.close();
  },

  async 'an admin sees each limit and what each key has used of it'(browser) {
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating/limits' });
    await page.getByRole('heading', { name: 'Limits', level: 2 }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Requests per minute' }).getByText('no limit').first().waitFor();
    await page.getByRole('row').filter({ hasText: 'Curator' }).waitFor();
    await accessible(page, 'limits');
    await page.route('**/v1/limits', (route) => {
      const none = { requests_per_minute: 0, turns_at_once: 0, model_tokens_per_day: 0, documents_per_day: 0 };
      const key = { ...none, bytes_per_day: 0, model_tokens_per_day: 5000 };
      const used = [{ holder: `key:${idOf(0)}`, name: 'Widget', turns: 0, model_tokens: 1200, documents: 0, bytes: 0 }];
      const whole = { ...none, bytes_per_day: 0 };
      return route.fulfill({ json: { key, person: whole, tenant: whole, used } });
    });
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'Widget' }).getByText('1,200 of 5,000').waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'an admin makes a key for pages and gets the tag to put into them'(browser) {
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating/access' });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Help centre');
    await page.getByLabel('For pages of other sites').check();
    await page.getByLabel('Pages (origins)').fill('https://help.example.org');
    await page.getByText('A policy file of its own (optional)').click();
    const policy = page.getByLabel('The text of the policy file (YAML)');
    await policy.fill('no: policy');
    await accessible(page, 'new key for pages');
    await page.getByRole('button', { name: 'Create a key' }).click();
    // What is no policy file is refused with a reason, and what was filled in stays. The browser itself notes the reply.
    await page.getByRole('alert').waitFor();
    assert.match(tripped.splice(0).join(), /^console: Failed to load resource: .+ 422 .+$/);
    await policy.fill(readFileSync(new URL('../../policies/handbook.yaml', import.meta.url), 'utf8'));
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText(/^<script src="http.+\/embed\.js" data-key="ibk_.+" defer><\/script>$/).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'https://help.example.org' }).first();
    await row.getByText(/^Policy file [0-9a-f]{8}$/).waitFor();
    await accessible(page, 'key for pages');
    assert.deepEqual(tripped, []);
    await close();
  },
};
