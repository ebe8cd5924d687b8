// The official JavaScript client of OpenAI's API. usage: javascript_client.mjs EXPECTED
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { VERSION } from 'openai/version';
import { expected, key, run, url } from './checks.mjs';

const clientOf = (apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, timeout: 120_000 });
const client = clientOf(key);
const ask = (question, more = {}) =>
  client.chat.completions.create({ model: 'ibidem', messages: [{ role: 'user', content: question }], ...more });
const links = (annotations) => (annotations ?? []).map((annotation) => annotation.url_citation.url);

await run(`javascript openai ${VERSION}`, {
  'the same text and citations, plain and streamed': async () => {
    for (const one of Object.values(expected)) {
      const reply = await ask(one.question);
      const { message, finish_reason } = reply.choices[0];
      assert.deepEqual([message.content, finish_reason], [one.text, 'stop']);
      assert.deepEqual(links(message.annotations), one.links);
      assert.equal(reply.ibidem.refused, one.refused);
      let text = '';
      let annotations = [];
      let answer;
      for await (const chunk of await ask(one.question, { stream: true })) {
        text += chunk.choices[0].delta.content ?? '';
        annotations = annotations.concat(chunk.choices[0].delta.annotations ?? []);
        answer ??= chunk.ibidem;
      }
      assert.equal(text, one.text);
      assert.deepEqual(links(annotations), one.links);
      assert.equal(answer.answer, one.answer);
    }
  },
  'the helper for streams': async () => {
    const { question, text } = expected.answered;
    const stream = client.chat.completions.stream({ model: 'ibidem', messages: [{ role: 'user', content: question }] });
    assert.equal(await stream.finalContent(), text);
  },
  'a stream that is hung up on is no error of the server': async () => {
    const stream = await ask(expected.answered.question, { stream: true });
    for await (const _ of stream) break;
    assert.equal((await ask(expected.answered.question)).choices[0].message.content, expected.answered.text);
  },
  models: async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    assert.deepEqual(models, ['ibidem', 'ibidem/Handbook']);
  },
  'content as parts': async () => {
    const { question, text } = expected.answered;
    const reply = await ask([{ type: 'text', text: question }]);
    assert.equal(reply.choices[0].message.content, text);
  },
  'errors have a type of their own': async () => {
    const { question } = expected.answered;
    for (const stream of [false, true]) {
      const unknown = await ask(question, { model: 'gpt-5', stream }).catch((error) => error);
      assert.ok(unknown instanceof OpenAI.NotFoundError, String(unknown));
      assert.equal(unknown.code, 'model_not_found');
      const messages = [{ role: 'user', content: question }];
      const stranger = clientOf('ibk_wrong').chat.completions;
      const refused = await stranger.create({ model: 'ibidem', messages, stream }).catch((error) => error);
      assert.ok(refused instanceof OpenAI.AuthenticationError, String(refused));
      const empty = await ask('', { stream }).catch((error) => error);
      assert.ok(empty instanceof OpenAI.BadRequestError, String(empty));
    }
  },
});
