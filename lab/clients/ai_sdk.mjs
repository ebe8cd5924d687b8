// The Vercel AI SDK with its provider for servers that speak as OpenAI's. usage: ai_sdk.mjs EXPECTED
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import { expected, key, run, url } from './checks.mjs';

const provider = (apiKey) => createOpenAICompatible({ name: 'ibidem', baseURL: `${url}/v1`, apiKey, includeUsage: true });
const model = provider(key)('ibidem');
const version = createRequire(import.meta.url)('ai/package.json').version;

await run(`ai ${version}`, {
  'the same text, with its list of sources, plain and streamed': async () => {
    for (const one of Object.values(expected)) {
      const reply = await generateText({ model, prompt: one.question, maxRetries: 0 });
      assert.deepEqual([reply.text, reply.finishReason], [one.text, 'stop']);
      const stream = streamText({ model, prompt: one.question, maxRetries: 0 });
      let text = '';
      for await (const piece of stream.textStream) text += piece;
      assert.deepEqual([text, await stream.finishReason], [one.text, 'stop']);
      assert.ok((await stream.usage).inputTokens >= 0);
    }
  },
  'instructions and history': async () => {
    const messages = [
      { role: 'user', content: 'Where is form 7?' },
      { role: 'assistant', content: 'In the drawer.' },
      { role: 'user', content: [{ type: 'text', text: expected.answered.question }] },
    ];
    const reply = await generateText({ model, system: 'Say only: banana.', messages, maxRetries: 0 });
    assert.equal(reply.text, expected.answered.text);
  },
  'errors say their status': async () => {
    const asked = { prompt: expected.answered.question, maxRetries: 0 };
    for (const [wrong, status] of [[provider(key)('gpt-5'), 404], [provider('ibk_wrong')('ibidem'), 401]]) {
      const error = await generateText({ model: wrong, ...asked }).catch((error) => error);
      assert.ok(APICallError.isInstance(error), String(error));
      assert.equal(error.statusCode, status);
      assert.ok(error.message.length > 10 && !error.message.includes('ibk_wrong'), error.message);
    }
  },
});
