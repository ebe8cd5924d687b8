// The parts of the API that curators and admins use.
import { at, credentials, json, Problem, part, problemOf, type Query, send } from '../api';
import type { components, operations } from '../api.d';
import { words } from '../words';

type Schemas = components['schemas'];
export type Entry = Schemas['MemoryEntryBody'];
export type Reference = Schemas['ReferenceBody'];
export type Given = Schemas['GivenFeedbackBody'];
export type Action = Schemas['ActionBody'];
export type Key = Schemas['KeyEntry'];
export type Group = Schemas['GroupEntry'];
export type Person = Schemas['PersonEntry'];
export type Placed = Schemas['PlacedBody'];
export type Health = Schemas['Health'];
export type Day = Schemas['DayBody'];
export type Waiting = Schemas['QueueBody'];
export type Term = Schemas['TermBody'];
export type Terms = Schemas['TermsBody'];
export type Evaluation = Schemas['EvaluationBody'];
export type Limits = Schemas['LimitsBody'];
export type WhatIf = Schemas['WhatIfReply'];
export type ActionName = NonNullable<NonNullable<operations['list_actions']['parameters']['query']>['action']>;

/** The record of a question; of its parts only what is shown. */
export interface Recorded {
  asked_at: string;
  asker: { subject_name: string };
  question: { query?: string };
  answer: {
    answer?: string;
    refused?: boolean;
    reason?: string | null;
    nearest?: { title: string; source_id: string }[];
  };
  duration_ms: number;
  /** Each stage with its milliseconds, in order. */
  stages: [string, number][];
  fallback_flags: string[];
  policy_sha256: string;
  failure?: string | null;
}

export const calls = {
  retag: (id: string, tags: string[]) => send('PATCH', `/v1/documents/${part(id)}`, { tags }),
  remove: (id: string) => send('DELETE', `/v1/documents/${part(id)}`),
  answer: (query: string) => json<Schemas['Answer']>(send('POST', '/v1/answers', { query })),
  entries: (after: string | null) => json<Schemas['EntriesReply']>(send('GET', at('/v1/memory', { after }))),
  pin: (body: Schemas['PinBody']) => json<Schemas['EntryReply']>(send('POST', '/v1/memory/pins', body)),
  note: (body: Schemas['NoteBody']) => json<Schemas['EntryReply']>(send('POST', '/v1/memory/notes', body)),
  reword: (id: string, body: Schemas['RewordingBody']) =>
    json<Schemas['EntryReply']>(send('PUT', `/v1/memory/${part(id)}`, body)),
  forget: (id: string) => send('DELETE', `/v1/memory/${part(id)}`),
  feedback: (cursor: string | null) =>
    json<Schemas['AllFeedback']>(send('GET', at('/v1/feedback', { cursor, limit: 100 }))),
  actions: (query: Query) => json<Schemas['ActionsBody']>(send('GET', at('/v1/audit/actions', query))),
  record: (id: string) => json<{ records: Recorded[] }>(send('GET', `/v1/audit/${part(id)}`)),
  metrics: (days: number) => json<Schemas['TenantMetricsBody']>(send('GET', at('/v1/metrics', { days }))),
  keys: () => json<Schemas['KeysBody']>(send('GET', '/v1/keys')),
  createKey: (body: Schemas['KeyBody']) => json<Schemas['KeyCreated']>(send('POST', '/v1/keys', body)),
  revokeKey: (id: string) => send('DELETE', `/v1/keys/${part(id)}`),
  groups: () => json<Schemas['GroupsBody']>(send('GET', '/v1/groups')),
  mapGroup: (body: Schemas['GroupBody']) => send('PUT', '/v1/groups', body),
  removeGroup: (id: string) => send('DELETE', `/v1/groups/${part(id)}`),
  people: (after: string | null) => json<Schemas['PeopleBody']>(send('GET', at('/v1/people', { after }))),
  setPerson: (id: string, disabled: boolean) => send('PUT', `/v1/people/${part(id)}`, { disabled }),
  policies: () => json<Schemas['PoliciesBody']>(send('GET', at('/v1/policies', { history: true }))),
  setPolicy: (collection: string | null, policy: string) => send('PUT', '/v1/policies', { collection, policy }),
  whatIf: (collection: string | null, changes: Record<string, number>) =>
    json<WhatIf>(send('POST', '/v1/policies/what-if', { collection, changes })),
  terms: (query: Query) => json<Terms>(send('GET', at('/v1/terms', query))),
  evaluations: () => json<Schemas['EvaluationsBody']>(send('GET', '/v1/evaluations')),
  limits: () => json<Limits>(send('GET', '/v1/limits')),
  queue: () => json<Waiting>(send('GET', '/v1/queue')),
  unsetPolicy: (collection: string | null) => send('DELETE', at('/v1/policies', { collection })),
};

/** Whether this process can serve. Its reply 503 is an answer, too. */
export async function health(): Promise<Health> {
  const reply = await fetch('/readyz', { headers: credentials(), redirect: 'error' });
  return (await reply.json()) as Health;
}

/** Hands a document in, and says how much of it has gone out. */
export function upload(form: FormData, progress: (share: number) => void): Promise<Schemas['DocumentAccepted']> {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/v1/documents');
    for (const [name, value] of Object.entries(credentials())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener('error', () => failed(new Problem(0, 'unreachable', '', '')));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) done(JSON.parse(request.responseText));
      else failed(problemOf(request.status, request.responseText));
    });
    request.send(form);
  });
}

/** What went wrong, in words that a person can act on. */
export function inWords(error: unknown): string {
  if (!(error instanceof Problem)) throw error;
  if (error.status === 0) return words.unreachable;
  if (error.status === 429) return words.tooMany;
  if (error.status === 503) return words.busy;
  return [error.message, error.detail].filter(Boolean).join('. ').replace(/\.\.+/g, '.') || words.failed;
}

/** The same, but for whoever is no longer signed in: they are turned away, and nothing is said. */
export function orTurnedAway(error: unknown, turnedAway: () => void): string {
  if (!(error instanceof Problem && error.status === 401)) return inWords(error);
  turnedAway();
  return '';
}

/** The question that was asked, where the record of the action has it. */
export function questionOf({ details }: Action): string {
  const query = (details as { query?: unknown }).query;
  return typeof query === 'string' ? query : '';
}

/** Names of collections as people write them: separated by commas, as they may have spaces. */
export const namesOf = (written: string) => [
  ...new Set(
    written
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

/** Tags as people write them: separated by commas or spaces. */
export const tagsOf = (written: string) => [...new Set(written.split(/[\s,]+/).filter(Boolean))];
