// The curating and operating pages in every appearance, in German, and with hostile words in every field.
import assert from 'node:assert/strict';
import { accessible, adminKey, visit } from './harness.mjs';
import { document, PAYLOADS } from './hostile.mjs';
import { ID } from './replies.mjs';

const PARTS = [
  '/curating/documents',
  '/curating/memory',
  '/curating/gaps',
  '/operating/overview',
  '/operating/access',
  '/operating/policies',
  '/operating/records',
];
const WHEN = '2026-01-01T00:00:00Z';
const SHA = '0'.repeat(64);

/** What each path replies, with a payload wherever a string stands. */
function replies(payload) {
  const listed = {
    document_id: ID,
    version: 1,
    document_name: payload,
    address: payload,
    collection: payload,
    kind: payload,
    file: payload,
    tags: [payload, 'public'],
    updated_at: WHEN,
    status: payload,
    replaced_by: [payload],
    passages: 1,
    document: payload,
  };
  const entry = {
    id: ID,
    kind: 'note',
    text: payload,
    triggers: [payload],
    references: [{ address: payload }],
    tags: [payload],
    version: 1,
    created_by: payload,
    created_at: WHEN,
    changed_by: payload,
    changed_at: WHEN,
  };
  const action = {
    id: ID,
    acted_at: WHEN,
    subject_id: payload,
    subject_name: payload,
    role: payload,
    action: 'answer.ask',
    object_kind: payload,
    object_id: payload,
    outcome: payload,
    request_id: ID,
    details: { query: payload },
  };
  const record = {
    asked_at: WHEN,
    asker: { subject_name: payload },
    question: { query: payload },
    answer: { answer: payload, refused: true, reason: payload, nearest: [{ title: payload, source_id: ID }] },
    duration_ms: 5,
    stages: [[payload, 5]],
    fallback_flags: [payload],
    policy_sha256: payload,
    failure: payload,
  };
  const day = {
    day: '2026-01-01',
    questions: 2,
    answered: 1,
    not_answered: { [payload]: 1 },
    feedback_up: 1,
    feedback_down: 0,
    document_versions: 1,
  };
  const said = { request_id: ID, given_at: WHEN, thumb: 'down', comment: payload, question: payload, documents: [] };
  const key = {
    id: ID,
    name: payload,
    role: payload,
    tags: [payload],
    created_at: WHEN,
    expires_at: null,
    revoked_at: null,
  };
  const person = {
    id: ID,
    name: payload,
    email: payload,
    groups: [payload],
    first_seen_at: WHEN,
    last_seen_at: WHEN,
    disabled_at: null,
  };
  const placed = {
    collection: payload,
    version: 1,
    policy: payload,
    policy_sha256: payload,
    set_by: payload,
    set_at: WHEN,
  };
  return {
    '/v1/documents': { documents: [listed], next: null },
    [`/v1/documents/${ID}`]: {
      ...document(payload).json,
      versions: [{ version: 1, updated_at: WHEN, taken_in_at: WHEN, passages: 1, document_sha256: SHA }],
    },
    '/v1/memory': { entries: [entry], next: null },
    '/v1/feedback': { feedback: [said], next: null },
    '/v1/audit/actions': { actions: [action], next: null },
    [`/v1/audit/${ID}`]: { request_id: ID, records: [record] },
    '/v1/metrics': { documents: 1, days: [day] },
    '/v1/keys': { keys: [key] },
    '/v1/groups': { groups: [{ id: ID, name: payload, role: payload, tags: [payload], changed_at: WHEN }] },
    '/v1/people': { people: [person], next: null },
    '/v1/policies': { installation: { policy: payload, policy_sha256: payload }, places: [placed] },
    '/readyz': { status: 'not_ready', not_ready: [payload], left_alone: [payload], policy_sha256: payload },
  };
}

/** Opens a part, and waits until it shows what it loads. */
async function open(page, part, shown) {
  await page.evaluate((part) => {
    location.hash = `#${part}`;
  }, part);
  await page.locator(`main a[aria-current][href="#${part}"]`).waitFor();
  if (shown === undefined) await page.waitForLoadState('networkidle');
  else await shows(page, shown);
}

const shows = (page, text) =>
  page.waitForFunction((text) => document.querySelector('main').textContent.includes(text), text);

export const managing = {
  async 'every part in light and dark, at 320 and 1280 pixels, and in German'(browser) {
    for (const [width, locale] of [
      [320, 'de-DE'],
      [1280, 'en-GB'],
    ]) {
      const { page, tripped, close } = await visit(browser, { as: adminKey, width, locale, path: `/#${PARTS[0]}` });
      await page.getByRole('heading', { name: locale === 'de-DE' ? 'Pflegen' : 'Curating', level: 1 }).waitFor();
      for (const part of PARTS) {
        await open(page, part);
        for (const colorScheme of ['dark', 'light']) {
          await page.emulateMedia({ colorScheme });
          await accessible(page, `${part}, ${colorScheme}, ${width}, ${locale}`);
        }
      }
      assert.deepEqual(tripped, []);
      await close();
    }
  },

  async 'by keyboard alone: to the content, along the parts, into a form and back'(browser) {
    const { page, tripped, close } = await visit(browser, { as: adminKey, path: '/#/operating/access' });
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.id === 'content');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Overview');
    await page.getByRole('button', { name: 'Give a group a role' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Give a group a role' }).waitFor();
    assert.deepEqual(tripped, []);
    await close();
  },

  async 'nothing that a title, a file name or a tag says runs or breaks the curating and operating pages'(browser) {
    const { page, tripped, close } = await visit(browser, { as: adminKey, width: 320, path: '/#/curating' });
    await page.getByRole('heading', { name: 'Curating' }).waitFor();
    let all = {};
    const known = (address) => new URL(address).pathname in all;
    await page.route(known, (route) => route.fulfill({ json: all[new URL(route.request().url()).pathname] }));
    for (const payload of PAYLOADS) {
      all = replies(payload);
      const beginning = payload.trim().slice(0, 5);
      for (const part of [...PARTS.slice(1), PARTS[0]]) {
        await open(page, part, beginning);
        if (part === '/curating/documents' || part === '/operating/records') {
          await page.locator('tbody button').first().click();
          await page.locator('.sheet').last().waitFor();
        }
        if (part === '/curating/gaps') {
          await page.getByRole('button', { name: 'Look through the last questions' }).click();
          await page.getByText(/^asked once by 1 person/).waitFor();
        }
        const markup = page.locator('#app :is(img, script, iframe, object, embed, form[action], a[href*=":"])');
        assert.equal(await markup.count(), 0, `${part}: ${payload}`);
        const [wide, shown, isHit] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          innerWidth,
          'hit' in window,
        ]);
        assert.ok(wide <= shown, `${part} is ${wide} pixels wide in a window of ${shown}: ${payload}`);
        assert.equal(isHit, false, payload);
      }
    }
    assert.deepEqual(tripped, []);
    await close();
  },
};
