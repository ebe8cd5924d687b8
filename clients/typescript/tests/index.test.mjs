// The client as it was compiled, with a server on loopback that replies as a test says. usage: node --test, with
// IBIDEM_CLIENT, the compiled index.js.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { inspect } from 'node:util';

const { Ibidem, IbidemError, Problem, UnexpectedReply, Unreachable } = await import(process.env.IBIDEM_CLIENT);

const KEY = 'ibk_secret-of-the-test';
const PASSAGE = '00000000-0000-0000-0000-000000000001:4';
const CITATION = { marker: 1, source_id: PASSAGE, document_name: 'Travel' };
const ANSWER = {
  answer: 'Dinner costs at most 50 euros [1].',
  refused: false,
  citations: [CITATION],
  a_later_field: 1,
};
const SENTENCE = { text: ANSWER.answer, citations: [CITATION] };
const PROBLEM = { type: 'x', title: 'Unprocessable', status: 422, detail: '`claim` is too long', request_id: 'y' };
const CHECK = { request_id: 'y', verdict: 'supported', passages: [{ source_id: PASSAGE }] };
const event = (name, body) => `event: ${name}\ndata: ${JSON.stringify(body)}\n\n`;

/** Serves while `use(url, asked)` runs. `reply(body, response)` gives [status, text or object, headers], or writes itself. */
async function serving(reply, use) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    asked.push({ path: request.url, headers: request.headers, body: JSON.parse(body) });
    const said = await reply(asked.at(-1).body, response);
    if (!said) return;
    const [status, text, headers = {}] = said;
    response.writeHead(status, headers).end(typeof text === 'string' ? text : JSON.stringify(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${server.address().port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const all = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
};

test('an answer comes whole', () =>
  serving(
    () => [200, ANSWER],
    async (url, asked) => {
      assert.deepEqual(
        await new Ibidem(`${url}/`, KEY).ask('What may dinner cost?', { collections: ['Handbook'] }),
        ANSWER,
      );
      assert.equal(asked[0].path, '/v1/answers');
      assert.equal(asked[0].headers.authorization, `Bearer ${KEY}`);
      assert.deepEqual(asked[0].body, { collections: ['Handbook'], query: 'What may dinner cost?' });
    },
  ));

test('a stream brings sentences and then the answer, however it is cut', async () => {
  const stream = `: alive\n\n${event('sentence', { ...SENTENCE, text: 'Käse' })}\n${event('answer', ANSWER)}`;
  for (const text of [stream, stream.replaceAll('\n', '\r\n')]) {
    const reply = async (_, response) => {
      for (const byte of Buffer.from(text)) {
        response.write(Buffer.of(byte));
        if (byte === 10 || byte > 127) await new Promise(setImmediate);
      }
      response.end();
    };
    await serving(reply, async (url, asked) => {
      const parts = await all(new Ibidem(url, KEY).stream('What may dinner cost?'));
      assert.deepEqual(parts, [
        { kind: 'sentence', sentence: { ...SENTENCE, text: 'Käse' } },
        { kind: 'answer', answer: ANSWER },
      ]);
      assert.equal(asked[0].body.stream, true);
    });
  }
});

test('a stream that ends early or in an error throws', async () => {
  for (const [end, kind] of [
    ['', Unreachable],
    [event('error', { ...PROBLEM, status: 503 }), Problem],
  ]) {
    await serving(
      () => [200, event('sentence', SENTENCE) + end],
      async (url) => {
        const stream = new Ibidem(url, KEY).stream('?');
        assert.equal((await stream.next()).value.kind, 'sentence');
        await assert.rejects(stream.next(), kind);
      },
    );
  }
});

test('whoever stops listening ends the request', async () => {
  let closed;
  const hungUp = new Promise((resolve) => {
    closed = resolve;
  });
  const reply = (_, response) => {
    response.on('close', closed);
    response.write(event('sentence', SENTENCE));
  };
  await serving(reply, async (url) => {
    for await (const part of new Ibidem(url, KEY).stream('?')) {
      assert.equal(part.kind, 'sentence');
      break;
    }
    await hungUp;
  });
});

test('claims are checked one by one', () =>
  serving(
    () => [200, CHECK],
    async (url, asked) => {
      const checks = await new Ibidem(url, KEY).check(['One.', 'Two.'], { sources: [PASSAGE] });
      assert.deepEqual(
        checks.map(({ claim, verdict }) => [claim, verdict]),
        [
          ['One.', 'supported'],
          ['Two.', 'supported'],
        ],
      );
      assert.deepEqual(asked[1].body, { claim: 'Two.', sources: [PASSAGE], collections: [] });
    },
  ));

test('texts come along, long ones in pieces, and no more than are taken', () => {
  const said = { verdict: 'supported', support: 0.9, by: 'verbatim', why: null };
  return serving(
    ({ texts }) => [200, { ...CHECK, passages: [], texts: texts.map(() => said) }],
    async (url, asked) => {
      const checked = async (...texts) => {
        const [check] = await new Ibidem(url, KEY).check('One.', { texts });
        const { body, headers } = asked.at(-1);
        assert.deepEqual(
          check.texts,
          body.texts.map((text) => ({ ...text, ...said })),
        );
        assert.ok(Number(headers['content-length']) < 1024 * 1024);
        return body.texts;
      };
      assert.deepEqual(await checked({ name: 'Travel', text: 'Käse.' }, { text: 'A \ud800' }), [
        { name: 'Travel', text: 'Käse.' },
        { text: 'A \ufffd' },
      ]);
      const paragraph = `${'Dinner costs 50 euros. '.repeat(100)}\n\n`;
      assert.deepEqual(
        await checked({ name: 'n'.repeat(300), text: paragraph.repeat(3) }),
        Array(3).fill({ name: 'n'.repeat(200), text: paragraph }),
      );
      for (const [text, pieces, longest] of [
        ['x'.repeat(4_001), 2, 4_000],
        ['x'.repeat(100_000), 10, 10_000],
        ['\x01'.repeat(999_999), 16, 10_000],
      ]) {
        const cut = (await checked({ text })).map((piece) => piece.text);
        assert.deepEqual([cut.length, Math.max(...cut.map((piece) => piece.length))], [pieces, longest]);
        assert.equal(cut.join(''), text.slice(0, 160_000));
      }
      assert.equal((await checked(...Array(99).fill({ text: 'x' }))).length, 16);
    },
  );
});

test('a reply says of each text what it says', () =>
  serving(
    () => [200, { ...CHECK, texts: [] }],
    (url) => assert.rejects(new Ibidem(url, KEY).check('One.', { texts: [{ text: 'A.' }] }), UnexpectedReply),
  ));

test('a problem carries its body', () =>
  serving(
    () => [429, { ...PROBLEM, status: 429 }, { 'Retry-After': '7' }],
    (url) =>
      assert.rejects(new Ibidem(url, KEY).ask('?'), (error) => {
        assert.ok(error instanceof Problem && error instanceof IbidemError);
        assert.deepEqual([error.status, error.retryAfter, error.body.detail], [429, 7, PROBLEM.detail]);
        return error.message.includes(PROBLEM.detail);
      }),
  ));

test('replies that are no replies of the API', async () => {
  for (const text of [
    '',
    '<html>',
    'null',
    '[]',
    '{}',
    '['.repeat(200_000),
    JSON.stringify({ ...ANSWER, citations: [1] }),
  ]) {
    await serving(
      () => [200, text],
      (url) => assert.rejects(new Ibidem(url, KEY).ask('?'), UnexpectedReply),
    );
    await serving(
      () => [500, text],
      (url) => assert.rejects(new Ibidem(url, KEY).ask('?'), Problem),
    );
  }
});

test('nobody there, too late, and ended by the caller', async () => {
  const gone = await serving(
    () => [200, ANSWER],
    (url) => url,
  );
  await assert.rejects(new Ibidem(gone, KEY).ask('?'), Unreachable);
  await serving(
    () => undefined,
    async (url) => {
      await assert.rejects(new Ibidem(url, KEY, { timeoutMs: 100 }).ask('?'), Unreachable);
      await assert.rejects(new Ibidem(url, KEY).ask('?', {}, { signal: AbortSignal.timeout(100) }), {
        name: 'AbortError',
      });
      await assert.rejects(new Ibidem(url, KEY).ask('?', {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    },
  );
});

test('a reply without end is not read to its end', async () => {
  const reply = (_, response) => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const go = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('error', () => {}).on('drain', go);
    go();
  };
  await serving(reply, (url) => assert.rejects(new Ibidem(url, KEY).ask('?'), UnexpectedReply));
});

test('the key goes nowhere else and is not shown', async () => {
  await serving(
    () => [200, ANSWER],
    (other, askedOther) =>
      serving(
        () => [302, '', { Location: `${other}/v1/answers` }],
        async (url) => {
          await assert.rejects(new Ibidem(url, KEY).ask('?'), UnexpectedReply);
          assert.deepEqual(askedOther, []);
        },
      ),
  );
  const client = new Ibidem('http://127.0.0.1:1', KEY);
  assert.ok(!inspect(client, { showHidden: true, depth: 5 }).includes(KEY) && !JSON.stringify(client).includes(KEY));
  for (const key of ['', 'a b', `${KEY}\nHost: evil`, 'ibk_é']) {
    assert.throws(() => new Ibidem('http://127.0.0.1:1', key), {
      message: 'key must be one word of visible ASCII characters',
    });
  }
  for (const url of ['ftp://host', 'host:80', 'http://', 'http://user:secret@host', 'http://host?x', '//host']) {
    assert.throws(() => new Ibidem(url, KEY), {
      message: 'url must be http://HOST or https://HOST, without a user or a password',
    });
  }
});
