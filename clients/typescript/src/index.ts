// A client of Ibidem that needs nothing but `fetch`. Its types are the API's own (api.ts, from the OpenAPI document).
import type { components } from './api.js';

type Schemas = components['schemas'];
export type Answer = Schemas['Answer'];
export type Citation = Schemas['Citation'];
export type ClaimText = Schemas['ClaimText'];
/** `texts` are those that came along, long ones in pieces, and whether each says so. */
export type ClaimCheck = Omit<Schemas['ClaimResponse'], 'texts'> & {
  claim: string;
  texts: (ClaimText & Schemas['ClaimCheck'])[];
};
export type ProblemDocument = Schemas['ProblemDocument'];
export type Question = Omit<Schemas['QuestionBody'], 'query' | 'stream'>;
export type Sentence = Schemas['SentenceEvent'];

/** What a stream brings: sentences as they are verified, and last the whole answer. */
export type Part = { kind: 'sentence'; sentence: Sentence } | { kind: 'answer'; answer: Answer };

/** Limits of one request; `fetch` stands in for the runtime's own. */
export type Options = { timeoutMs?: number; fetch?: typeof fetch };
/** Ends a request early. */
export type Call = { signal?: AbortSignal };
/**
 * What claims are held against: passages (`document:chunk`) and texts that come along; where there are neither, what a
 * search in collections finds. The first 16 texts count. Long ones are cut into pieces, at most 16 in all and 10,000
 * characters each.
 */
export type Among = Call & { sources?: string[]; texts?: ClaimText[]; collections?: string[] };

/** A reply is read this far and no further, so that a server gone wrong cannot fill the memory. */
const LARGEST_REPLY = 32 * 1024 * 1024;
/**
 * So many texts come along with a claim, in pieces of so many characters: the second number where the first makes too many
 * pieces. The smaller a piece, the less is read together that is not about one thing.
 */
const MOST_TEXTS = 16;
const PIECES = [4_000, 10_000];

/** Everything that this client throws, but for a request that its caller ended. */
export class IbidemError extends Error {
  override name = 'IbidemError';
}
/** The server gave no reply, or none in time. */
export class Unreachable extends IbidemError {
  override name = 'Unreachable';
}
/** A reply that is not of Ibidem's API, or a redirect: the key is sent to no other address. */
export class UnexpectedReply extends IbidemError {
  override name = 'UnexpectedReply';
}
/** The server said what is wrong. `body` is its problem document (RFC 9457). */
export class Problem extends IbidemError {
  override name = 'Problem';
  constructor(
    readonly status: number,
    readonly body: Partial<ProblemDocument>,
    /** When to try again, in seconds, where the server says so. */
    readonly retryAfter: number | null = null,
  ) {
    super([status, body.title, body.detail].filter(Boolean).join(': ').slice(0, 4000));
  }
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

export class Ibidem {
  readonly url: string;
  // Not enumerable, so that printing a client does not show it.
  readonly #key: string;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor(url: string, key: string, { timeoutMs = 120_000, fetch = globalThis.fetch }: Options = {}) {
    if (!/^https?:\/\/[^/@?#\s]+(\/[^@?#\s]*)?$/.test(url)) {
      throw new TypeError('url must be http://HOST or https://HOST, without a user or a password');
    }
    // The error of the header itself would show the key.
    if (!/^[!-~]+$/.test(key)) throw new TypeError('key must be one word of visible ASCII characters');
    this.url = url.replace(/\/+$/, '');
    this.#key = key;
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
  }

  /** Asks and waits for the whole answer. A refusal is an answer, too: `refused`, `reason` and `why` say so. */
  async ask(query: string, question: Question = {}, call: Call = {}): Promise<Answer> {
    return this.#whole('/v1/answers', { ...question, query }, isAnswer, call);
  }

  /** Yields each sentence as soon as it is verified, then the whole answer. */
  async *stream(query: string, question: Question = {}, call: Call = {}): AsyncGenerator<Part, void, undefined> {
    const pieces = this.#send('/v1/answers', { ...question, query, stream: true }, call);
    for await (const { name, data } of events(pieces)) {
      const body = parsed(data);
      if (name === 'error')
        throw new Problem(isObject(body) ? Number(body.status) || 500 : 500, isObject(body) ? body : {});
      if (name === 'sentence') yield { kind: 'sentence', sentence: known(body, isSentence) };
      if (name === 'answer') {
        yield { kind: 'answer', answer: known(body, isAnswer) };
        return;
      }
    }
    throw new Unreachable('the stream ended before the answer');
  }

  /** Holds each claim, one sentence, against the documents or texts that come along, one after the other. */
  async check(
    claims: string | string[],
    { sources = [], texts = [], collections = [], ...call }: Among = {},
  ): Promise<ClaimCheck[]> {
    const checks: ClaimCheck[] = [];
    const sent = piecesOf(texts);
    const among = sent.length > 0 ? { sources, collections, texts: sent } : { sources, collections };
    for (const claim of typeof claims === 'string' ? [claims] : claims) {
      const reply = await this.#whole('/v1/claims', { claim, ...among }, isCheck, call);
      const said = reply.texts ?? [];
      if (said.length !== sent.length) throw new UnexpectedReply('the reply does not say of each text what it says');
      checks.push({ ...reply, claim, texts: said.map((one, position) => ({ text: '', ...sent[position], ...one })) });
    }
    return checks;
  }

  async #whole<T>(path: string, body: Json, is: (body: unknown) => body is T, call: Call): Promise<T> {
    let text = '';
    for await (const piece of this.#send(path, body, call)) text += piece;
    return known(parsed(text), is);
  }

  /** Sends, and yields the text of the reply in pieces. */
  async *#send(path: string, body: Json, { signal }: Call): AsyncGenerator<string, void, undefined> {
    const late = AbortSignal.timeout(this.#timeoutMs);
    const ended = new AbortController();
    const end = () => ended.abort();
    for (const one of [late, signal]) one?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    try {
      const reply = await this.#fetch.call(globalThis, this.url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: ended.signal,
      });
      if (reply.type === 'opaqueredirect' || (reply.status >= 300 && reply.status < 400)) {
        throw new UnexpectedReply('the address redirects; give the one it leads to');
      }
      if (reply.ok) yield* textOf(reply);
      else throw await problemOf(reply);
    } catch (error) {
      if (error instanceof IbidemError || signal?.aborted) throw error;
      throw new Unreachable(late.aborted ? `no reply within ${this.#timeoutMs} ms` : `${this.url} gave no reply`);
    } finally {
      // Whoever stops listening ends the request.
      end();
      signal?.removeEventListener('abort', end);
    }
  }
}

/** Pieces of at most `most` characters: cut behind a paragraph, else a line, a sentence or a word, if one ends in time. */
function* cut(text: string, most: number): Generator<string, void, undefined> {
  let begin = 0;
  while (text.length - begin > most) {
    const piece = text.slice(begin, begin + most);
    const ends = ['\n\n', '\n', '. ', ' '].map((mark) => [piece.lastIndexOf(mark), mark.length] as const);
    const [at, length] = ends.find(([at]) => at >= most / 2) ?? [most, 0];
    yield text.slice(begin, begin + at + length);
    begin += at + length;
  }
  yield text.slice(begin);
}

/** Half a character is no JSON: a sign for it takes its place. */
const whole = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** Texts as the API takes them. What is beyond the last piece is left out. */
function piecesOf(texts: ClaimText[]): ClaimText[] {
  let pieces: ClaimText[] = [];
  for (const most of PIECES) {
    pieces = [];
    for (const { name, text } of texts.slice(0, MOST_TEXTS)) {
      for (const piece of cut(text, most)) {
        if (pieces.length > MOST_TEXTS) break;
        pieces.push({ ...(name ? { name: whole(name.slice(0, 200)) } : {}), text: whole(piece) });
      }
    }
    if (pieces.length <= MOST_TEXTS) break;
  }
  return pieces.slice(0, MOST_TEXTS);
}

async function* textOf(reply: Response): AsyncGenerator<string, void, undefined> {
  if (!reply.body) return;
  const reader = reply.body.getReader();
  const decoder = new TextDecoder();
  for (let read = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    read += value.byteLength;
    if (read > LARGEST_REPLY) throw new UnexpectedReply('the reply is too large');
    yield decoder.decode(value, { stream: true });
  }
}

async function problemOf(reply: Response): Promise<Problem> {
  let text = '';
  for await (const piece of textOf(reply)) text += piece;
  const after = reply.headers.get('retry-after') ?? '';
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy in between may have said it in its own way.
  }
  return new Problem(reply.status, isObject(body) ? body : {}, /^\d{1,7}$/.test(after) ? Number(after) : null);
}

/** The events of a stream: lines `event` and `data`, with an empty line after each event. */
async function* events(pieces: AsyncIterable<string>): AsyncGenerator<{ name: string; data: string }, void, undefined> {
  let [waiting, name, data]: [string, string, string[]] = ['', '', []];
  for await (const piece of pieces) {
    const lines = (waiting + piece).split('\n');
    waiting = lines.pop() ?? '';
    for (const line of lines.map((one) => one.replace(/\r$/, ''))) {
      const colon = line.indexOf(':');
      const [field, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
      else if (line === '') {
        // An event without a name is a sign of life, nothing more.
        if (name) yield { name, data: data.join('\n') };
        [name, data] = ['', []];
      }
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnexpectedReply('the reply is not JSON');
  }
}

function known<T>(body: unknown, is: (body: unknown) => body is T): T {
  if (is(body)) return body;
  throw new UnexpectedReply('the reply is not of this API');
}

// As much as tells this API's replies from others'. The server keeps to its own description.
const isSentence = (body: unknown): body is Sentence =>
  isObject(body) && typeof body.text === 'string' && isList(body.citations) && body.citations.every(isObject);
const isAnswer = (body: unknown): body is Answer =>
  isObject(body) &&
  typeof body.answer === 'string' &&
  typeof body.refused === 'boolean' &&
  isList(body.citations) &&
  body.citations.every(isObject);
const isCheck = (body: unknown): body is Schemas['ClaimResponse'] =>
  isObject(body) &&
  typeof body.verdict === 'string' &&
  isList(body.passages) &&
  body.passages.every(isObject) &&
  (body.texts === undefined || (isList(body.texts) && body.texts.every(isObject)));
