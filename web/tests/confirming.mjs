// Tools that write: the refund of the support desk, a real server over a real database, is proposed, declined, confirmed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { accessible, url, visit } from './harness.mjs';

const deskKey = process.env.IBIDEM_PAGES_DESK_KEY;
const REQUEST = 'I was overcharged by PLN 150 on invoice INV-20251001. I am u123.';

/** The desk's rules, in force for the desk's tenant. */
async function putInForce() {
  const text = readFileSync(new URL('../../policies/support.yaml', import.meta.url), 'utf8');
  const reply = await fetch(`${url}/v1/policies`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${deskKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ policy: text }),
  });
  assert.ok(reply.ok, `${reply.status}: ${await reply.text()}`);
}

async function propose(page) {
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill(REQUEST);
  await field.press('Enter');
  const proposal = page.getByRole('article', { name: REQUEST }).last().getByRole('region', { name: 'Please confirm' });
  await proposal.getByRole('button', { name: 'Confirm, and have it done' }).waitFor();
  return proposal;
}

export const confirming = {
  async 'a refund is proposed with its tool and arguments, declined without a call, and confirmed once'(browser) {
    await putInForce();
    const { page, tripped, close } = await visit(browser, { as: deskKey });
    const asked = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/answers')) asked.push(request.postDataJSON());
    });

    /** Proposes a refund, confirms it, and returns the number of the case that was opened. */
    async function refund() {
      const proposal = await propose(page);
      await proposal.getByRole('button', { name: 'Confirm, and have it done' }).click();
      // Once: there is nothing left to click.
      await proposal.getByText('Confirmed', { exact: true }).waitFor();
      assert.equal(await proposal.getByRole('button').count(), 0);
      const done = page.getByRole('article', { name: 'Confirmed' }).last();
      await done.getByText(/Case R\d+ is opened/).waitFor();
      assert.equal(await done.getByRole('button', { name: 'Ask again' }).count(), 0, 'it is not done again');
      return Number(/Case R(\d+) is opened/.exec(await done.innerText())[1]);
    }

    const proposal = await propose(page);
    const said = await proposal.innerText();
    for (const shown of [
      'This would open a refund case',
      'desk',
      'open_refund_case',
      'amount_pln',
      '150',
      'u123',
      'INV-20251001',
    ]) {
      assert.ok(said.includes(shown), `${shown} is not in ${said}`);
    }
    assert.doesNotMatch(await page.locator('body').innerText(), /ibc_/, 'the token is nothing to read');
    await accessible(page, 'proposal');
    await proposal.getByRole('button', { name: 'Do not do it' }).click();
    await proposal.getByText('Nothing was done.').waitFor();
    assert.equal(await proposal.getByRole('button').count(), 0);
    assert.equal(asked.length, 1, 'nothing is sent where it is declined');
    await accessible(page, 'declined');

    const first = await refund();
    assert.match(asked.at(-1).confirmation, /^ibc_/);
    assert.equal(asked.length, 3);
    await accessible(page, 'confirmed');
    const again = await propose(page);
    await again.getByRole('button', { name: 'Do not do it' }).click();
    // The desk numbers its cases one by one: the one that was declined was never opened, and none was opened twice.
    assert.equal(await refund(), first + 1);

    // Opened again, the conversation shows what was proposed, and nothing to confirm.
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Show conversations' }).click();
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('button', { name: REQUEST, exact: true })
      .first()
      .click();
    const old = page.getByRole('region', { name: 'Please confirm' }).first();
    await old.getByText('The time to confirm this is over.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Confirm, and have it done' }).count(), 0);
    assert.deepEqual(tripped, []);
    await close();
  },
};
