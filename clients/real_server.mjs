// Asks a real server with the demo handbook. usage: node real_server.mjs, with IBIDEM_URL, IBIDEM_KEY and IBIDEM_CLIENT
import assert from 'node:assert/strict';

const { Ibidem, Problem } = await import(process.env.IBIDEM_CLIENT);
const QUESTION = 'What is the daily limit for meals on a business trip?';

const ibidem = new Ibidem(process.env.IBIDEM_URL, process.env.IBIDEM_KEY);
const answer = await ibidem.ask(QUESTION, { collections: ['Handbook'] });
assert.ok(answer.citations.length > 0 && !answer.refused, answer.answer);
const parts = [];
for await (const part of ibidem.stream(QUESTION, { collections: ['Handbook'] })) parts.push(part);
assert.equal(parts.pop().answer.answer, answer.answer);
assert.deepEqual(
  parts.map((part) => part.sentence.text).join('').split(/\s+/).filter(Boolean),
  answer.answer.split(/\s+/).filter(Boolean),
);
const quoted = 'The daily allowance covers meals and small expenses; receipts are neither needed nor accepted.';
const checks = await ibidem.check([quoted, 'Dogs may be brought to the moon.'], { collections: ['Handbook'] });
assert.deepEqual(
  checks.map(({ verdict }) => verdict === 'supported'),
  [true, false],
);
const elsewhere = 'Dogs may be brought to the moon on Fridays.';
const texts = [{ name: 'Moon', text: `${'About the moon. '.repeat(600)}\n\n${elsewhere}` }, { text: 'A half \ud800.' }];
const [ofTexts, notSearched] = await ibidem.check([elsewhere, quoted], { texts });
assert.deepEqual([ofTexts.verdict, ofTexts.passages, notSearched.verdict === 'supported'], ['supported', [], false]);
assert.equal(ofTexts.texts.find(({ verdict }) => verdict === 'supported').name, 'Moon');
await assert.rejects(ibidem.check('x'.repeat(2001)), (error) => error instanceof Problem && error.status === 422 && !!error.body.detail);
await assert.rejects(new Ibidem(ibidem.url, 'ibk_wrong').ask('?'), (error) => error.status === 401);
console.log('TypeScript: asked, streamed, checked and refused as the API says');
