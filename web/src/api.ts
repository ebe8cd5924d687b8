// The server's API: who is asking, requests, and the stream of an answer. Types come from the OpenAPI document.
import type { components } from './api.d';

type Schemas = components['schemas'];
export type Answer = Schemas['Answer'] & Pick<Schemas['AnswerAgain'], 'withdrawn'>;
export type Citation = Schemas['Citation'];
export type ConceptOf = Schemas['ConceptBody'];
export type Conversation = Schemas['ConversationBody'];
export type Conversations = Schemas['ConversationsBody'];
export type ClaimResponse = Schemas['ClaimResponse'];
export type DocumentBody = Schemas['DocumentBody'];
export type Fallback = Schemas['Fallback'];
export type FeedbackReason = Schemas['ReasonBody'];
export type Hit = Schemas['HitBody'];
export type Level = Schemas['ConfidenceLevel'];
export type Listed = Schemas['ListedDocument'];
export type Me = Schemas['MeBody'];
export type NearestMiss = Schemas['NearestMiss'];
export type Passage = Schemas['PassageBody'];
export type ProposedCall = Schemas['ProposedCall'];
export type Reason = Schemas['Reason'];
export type Sentence = Schemas['SentenceEvent'];
export type Stretch = Schemas['Stretch'];
export type WholeConversation = Schemas['WholeConversation'];

const KEY = 'ibidem-key';

/** What the server said went wrong; `status` is 0 where it did not answer at all. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly detail: string,
  ) {
    super(message);
  }
}

export const apiKey = {
  get: () => sessionStorage.getItem(KEY),
  set: (key: string) => sessionStorage.setItem(KEY, key),
  forget: () => sessionStorage.removeItem(KEY),
};

const signIn = document.querySelector('meta[name="ibidem-sign-in"]')?.getAttribute('content');

/** What stands behind `#link=` in an address that signs a browser in once; it leaves the address before anything else. */
export const link = /^#link=([0-9a-f]+)$/.exec(location.hash)?.[1] ?? null;
if (link) history.replaceState(null, '', '/');
// Pasted where a page is open already, it loads none.
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#link=')) location.reload();
});

/** Whether people sign in here, as the server wrote it into the page; and whether this browser has a session already. */
export const hasSignIn = signIn === 'provider' || signIn === 'session';
export const hasSession = signIn === 'session';

/** What every request says of who sends it. */
export function credentials(): Record<string, string> {
  const key = apiKey.get();
  // Other sites cannot make a browser send this header: with a session's cookie the server wants it.
  return { 'X-Ibidem-Request': '1', ...(key ? { Authorization: `Bearer ${key}` } : {}) };
}

export async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = credentials();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const request: RequestInit = { method, headers, redirect: 'error', signal: signal ?? null };
  if (body !== undefined) request.body = JSON.stringify(body);
  let reply: Response;
  try {
    reply = await fetch(path, request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, 'unreachable', '', '');
  }
  if (!reply.ok) throw problemOf(reply.status, await reply.text());
  return reply;
}

export function problemOf(status: number, text: string): Problem {
  try {
    const said = JSON.parse(text) as Partial<Schemas['ProblemDocument']>;
    return new Problem(status, said.type ?? '', said.title ?? '', said.detail ?? '');
  } catch {
    return new Problem(status, '', '', '');
  }
}

export const json = async <T>(reply: Promise<Response>) => (await (await reply).json()) as T;
export const part = encodeURIComponent;

export type Query = Record<string, string | number | boolean | null | undefined>;

/** A path with what is asked for there. */
export function at(path: string, query: Query = {}): string {
  const asked = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const written = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]));
  return asked.length > 0 ? `${path}?${written}` : path;
}

export const api = {
  me: () => json<Me>(send('GET', '/auth/me')),
  signInByLink: (token: string) => json<Schemas['LinkedKey']>(send('POST', '/auth/link', { token })),
  signOut: () => json<Schemas['LoggedOut']>(send('POST', '/auth/logout')),
  claim: (body: Schemas['ClaimBody']) => json<ClaimResponse>(send('POST', '/v1/claims', body)),
  documents: (query: Query) => json<Schemas['DocumentsBody']>(send('GET', at('/v1/documents', query))),
  document: (id: string) => json<DocumentBody>(send('GET', `/v1/documents/${part(id)}`)),
  passage: (id: string, index: string) =>
    json<Passage>(send('GET', `/v1/documents/${part(id)}/passages/${part(index)}`)),
  search: (query: string, limit: number, collections: string[] = []) =>
    json<Schemas['SearchResponse']>(send('POST', '/v1/search', { query, limit, collections })),
  /** The file, with the name that the server gives it. */
  original: async (id: string): Promise<File> => {
    const reply = await send('GET', `/v1/documents/${part(id)}/original`);
    const [, name = ''] = /filename="([^"]*)"/.exec(reply.headers.get('content-disposition') ?? '') ?? [];
    return new File([await reply.blob()], name);
  },
  concept: (uri: string, language: string) =>
    json<ConceptOf>(send('GET', `/v1/concepts?uri=${part(uri)}&language=${part(language)}`)),
  conversations: (cursor: string | null) =>
    json<Conversations>(send('GET', `/v1/conversations${cursor ? `?cursor=${part(cursor)}` : ''}`)),
  conversation: (id: string) => json<WholeConversation>(send('GET', `/v1/conversations/${part(id)}`)),
  begin: () => json<Conversation>(send('POST', '/v1/conversations', {})),
  rename: (id: string, title: string) => json<Conversation>(send('PATCH', `/v1/conversations/${part(id)}`, { title })),
  erase: (id: string) => send('DELETE', `/v1/conversations/${part(id)}`),
  feedback: (id: string, said: Schemas['FeedbackBody']) => send('POST', `/v1/answers/${part(id)}/feedback`, said),
};

/** What an answer's stream brings. */
export type Heard = { sentence: Sentence } | { answer: Answer };

/** Asks, or confirms what was proposed, and yields sentences as they are released, then the whole answer. */
export async function* ask(
  query: string,
  conversation: string | null,
  signal: AbortSignal,
  confirmation: string | null = null,
  collections: string[] = [],
): AsyncGenerator<Heard> {
  const body: Schemas['QuestionBody'] = { query, stream: true };
  if (collections.length > 0) body.collections = collections;
  if (confirmation) body.confirmation = confirmation;
  if (conversation) body.conversation_id = conversation;
  yield* heard(await send('POST', '/v1/answers', body, signal));
}

/** What the stream of an answer brings, to its end. */
export async function* heard(reply: Response): AsyncGenerator<Heard> {
  if (!reply.body) throw new Problem(0, 'unreachable', '', '');
  for await (const { name, data } of events(reply.body)) {
    if (name === 'sentence') yield { sentence: JSON.parse(data) as Sentence };
    else if (name === 'answer') {
      yield { answer: JSON.parse(data) as Answer };
      return;
    } else if (name === 'error') throw problemOf(500, data);
  }
  throw new Problem(0, 'unreachable', '', '');
}

/** The events of a stream: blocks of lines with an empty line between them. */
async function* events(stream: ReadableStream<Uint8Array>): AsyncGenerator<{ name: string; data: string }> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let waiting = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      waiting += decoder.decode(value, { stream: true });
      const blocks = waiting.split('\n\n');
      waiting = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = block.split('\n').map((line) => {
          const [field = '', ...value] = line.split(':');
          return { field, value: value.join(':').replace(/^ /, '') };
        });
        const all = (name: string) => fields.filter(({ field }) => field === name).map(({ value }) => value);
        const name = all('event')[0];
        // A block without a name is a sign of life, nothing more.
        if (name) yield { name, data: all('data').join('\n') };
      }
    }
  } finally {
    reader.releaseLock();
  }
}
