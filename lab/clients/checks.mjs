// What the checks in JavaScript share: the server, what is expected, and how a check is told.
import { readFileSync } from 'node:fs';

export const url = process.env.IBIDEM_URL;
export const key = process.env.IBIDEM_KEY;
export const expected = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** Runs the checks one after the other; one that fails does not keep the others from being tried. */
export async function run(client, checks) {
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`${client}: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`${client}: FAILED ${name}: ${error.stack.replaceAll(key, '…')}`);
    }
  }
  process.exit(failed ? 1 : 0);
}
