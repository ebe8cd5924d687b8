// The curating and operating pages in every appearance, in German, and by keyboard.
import assert from 'node:assert/strict';
import { accessible, adminKey, visit } from './harness.mjs';

const PARTS = [
  '/curating/documents',
  '/curating/memory',
  '/curating/gaps',
  '/curating/terms',
  '/operating/overview',
  '/operating/access',
  '/operating/policies',
  '/operating/evaluations',
  '/operating/limits',
  '/operating/records',
];
/** Opens a part, and waits until it shows what it loads. */
async function open(page, part) {
  await page.evaluate((part) => {
    location.hash = `#${part}`;
  }, part);
  await page.locator(`main a[aria-current][href="#${part}"]`).waitFor();
  await page.waitForLoadState('networkidle');
}

export const managing = {
  async 'every part in light and dark, at 320, 640 (1280 at 200 %), 1280 and 2560 pixels, and in German'(browser) {
    for (const [width, locale, deviceScaleFactor] of [
      [320, 'de-DE', 1],
      [640, 'en-GB', 2],
      [1280, 'en-GB', 1],
      [2560, 'en-GB', 1],
    ]) {
      const options = { as: adminKey, width, locale, deviceScaleFactor, path: `/#${PARTS[0]}` };
      const { page, tripped, close } = await visit(browser, options);
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
};
