// Replies of a server that has hostile words in every field, for the tests: several at once, each where its number says.

const sha = '0'.repeat(64);
const WHEN = '2026-01-01T00:00:00Z';

/** The id of the thing with this number, counted from 0. */
export const idOf = (place) => `00000000-0000-4000-8000-${String(place + 1).padStart(12, '0')}`;

/** Which thing has this id. */
export const placeOf = (id) => Number(id.slice(-12)) - 1;

function citation(payload, place) {
  return {
    marker: place + 1,
    source_id: `${idOf(place)}:0`,
    document_id: idOf(place),
    document_name: payload,
    version: 1,
    updated_at: WHEN,
    chunk_index: 0,
    page_number: 3,
    section: payload,
    relevance_score: 0.9,
    snippet: payload,
    snippet_full: payload,
    span: { start: 0, end: Array.from(payload).length },
    document_sha256: sha,
    address: payload,
    collection: payload,
    file: payload,
    link: place % 2 === 0 ? 'javascript:alert(1)' : payload,
    // Without a status it is a concept of a vocabulary, which is shown with its link.
    status: place % 3 === 0 ? null : payload,
    replaced_by: [payload],
  };
}

function answer(payloads, refused) {
  const [first] = payloads;
  const text = payloads.map((payload, place) => `${payload} [${place + 1}] ${payload}`).join(' ');
  return {
    request_id: idOf(0),
    action: refused ? 'refuse' : 'cite',
    rewritten_question: payloads.join(' '),
    answer: refused ? payloads.join(' ') : text,
    refused,
    refusal_reason: refused ? first : null,
    why: refused ? `${first}.` : null,
    nearest: refused
      ? payloads.map((payload, place) => ({
          source_id: `${idOf(place)}:0`,
          version: 1,
          title: payload,
          section: payload,
          address: payload,
          why: payload,
        }))
      : [],
    reason: refused ? 'not_answered' : null,
    citations: refused ? [] : payloads.map(citation),
    confidence: null,
    retrieval_quality: {
      confidence_score: 0.5,
      confidence_level: 'low',
      fallback_active: true,
      fallback_reasons: ['extractive', ...payloads],
      degraded: true,
    },
    transparency: { statement: first, show_to_user: true },
    route_to: refused ? { tag: first, owner_email: first, reason: first, fallback: false } : null,
    suggestions: refused ? payloads : [],
    offers: payloads.slice(0, 3).map((text) => ({ text, query: text })),
    details: refused ? [] : payloads,
    warnings: payloads,
    model_used: first,
    context_chunks_used: 1,
    context_tokens_used: 1,
    generation_time_ms: 1,
    grounded: true,
    trace: payloads.map((gate) => ({ gate, verdict: 'stop', observed: 0.1, threshold: 0.2 })),
    receipt: null,
  };
}

/** A call that waits for the asker's word, with the payloads in everything that a policy file or a tool names. */
function proposal(payloads) {
  const [first] = payloads;
  return {
    server: first,
    tool: first,
    effect: payloads.join(' '),
    arguments: Object.fromEntries(payloads.map((payload, place) => [`${place} ${payload}`, payload])),
    token: `ibc_${'0'.repeat(32)}`,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
}

/** A concept of a vocabulary that is as hostile as can be. */
export function concept(payloads, uri) {
  const [first] = payloads;
  const texts = payloads.map((text) => ({ text, language: 'en' }));
  const connected = payloads.map((label, place) => ({ uri: `${uri}/${place}`, label }));
  return {
    uri,
    vocabulary: first,
    label: first,
    other_labels: texts,
    definitions: texts,
    broader: connected,
    narrower: connected,
    related: connected,
    deprecated: false,
  };
}

/** What a language model wrote, sentence by sentence as it is checked. */
export function stream(payloads, { query }) {
  const refused = query === 'refuse';
  if (query === 'propose') {
    const proposed = { ...answer(payloads, false), action: 'clarify', citations: [], confirmation: proposal(payloads) };
    return {
      contentType: 'text/event-stream',
      body: `event: answer\ndata: ${JSON.stringify(proposed)}\n\n`,
    };
  }
  const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const said = (payload, place) =>
    event('sentence', { text: `${payload} [${place + 1}] `, citations: [citation(payload, place)] });
  const sentences = refused ? '' : payloads.map(said).join('');
  return {
    contentType: 'text/event-stream',
    body: `${sentences}: alive\n\n${event('answer', answer(payloads, refused))}`,
  };
}

export function document(payload, id = idOf(0)) {
  return {
    document_id: id,
    version: 1,
    document_name: payload,
    address: payload,
    collection: payload,
    kind: payload,
    file: payload,
    format: payload,
    updated_at: WHEN,
    status: payload,
    replaced_by: [payload],
    valid_from: null,
    valid_to: null,
    passages: 1,
    text: payload,
    document_sha256: sha,
    original: payload,
    versions: [{ version: 1, updated_at: WHEN, taken_in_at: WHEN, passages: 1, document_sha256: sha }],
  };
}

function passage(payload, id) {
  return {
    source_id: `${id}:0`,
    document_id: id,
    document_name: payload,
    document: payload,
    original: payload,
    file: payload,
    version: 1,
    collection: payload,
    kind: payload,
    address: payload,
    chunk_index: 0,
    page_number: 3,
    section: `${payload} > ${payload}`,
    status: payload,
    replaced_by: [payload],
    above: [],
    text: payload,
    span: { start: 0, end: Array.from(payload).length },
    document_sha256: sha,
  };
}

export function conversations(payloads) {
  const all = payloads.map((title, place) => ({
    id: idOf(place),
    title,
    created_at: WHEN,
    changed_at: WHEN,
    turns: 1,
  }));
  return { json: { conversations: all, next: null } };
}

/** What each path of the curating and operating pages replies. */
export function managed(payloads) {
  const [first] = payloads;
  const each = (make) => payloads.map((payload, place) => make(payload, idOf(place)));
  const listed = (payload, id) => ({
    document_id: id,
    version: 1,
    document_name: payload,
    address: payload,
    collection: payload,
    kind: payload,
    file: payload,
    tags: [payload, 'public'],
    updated_at: WHEN,
    status: payload,
    replaced_by: [payload],
    passages: 1,
    document: payload,
  });
  const hit = (payload, id) => ({ ...passage(payload, id), updated_at: WHEN, source_location: payload, scores: {} });
  const entry = (payload, id) => ({
    id,
    kind: 'note',
    text: payload,
    triggers: [payload],
    references: [{ address: payload }],
    tags: [payload],
    version: 1,
    created_by: payload,
    created_at: WHEN,
    changed_by: payload,
    changed_at: WHEN,
  });
  const action = (payload, id) => ({
    id,
    acted_at: WHEN,
    subject_id: payload,
    subject_name: payload,
    role: payload,
    action: 'answer.ask',
    object_kind: payload,
    object_id: payload,
    outcome: payload,
    request_id: id,
    details: { query: payload },
  });
  const record = (payload) => ({
    asked_at: WHEN,
    asker: { subject_name: payload },
    question: { query: payload },
    answer: { answer: payload, refused: true, reason: payload, nearest: [{ title: payload, source_id: idOf(0) }] },
    duration_ms: 5,
    stages: [[payload, 5]],
    fallback_flags: [payload],
    policy_sha256: payload,
    failure: payload,
  });
  const day = {
    day: '2026-01-01',
    questions: 2,
    answered: 1,
    not_answered: Object.fromEntries(payloads.map((payload) => [payload, 1])),
    feedback_up: 1,
    feedback_down: 0,
    document_versions: 1,
  };
  const said = (payload, id) => ({
    request_id: id,
    given_at: WHEN,
    thumb: 'down',
    comment: payload,
    question: payload,
    documents: [],
  });
  const key = (payload, id) => ({
    id,
    name: payload,
    role: payload,
    tags: [payload],
    hand_in: [payload],
    created_at: WHEN,
    expires_at: null,
    revoked_at: null,
    origins: [payload],
    collections: [payload],
    policy_sha256: null,
  });
  const person = (payload, id) => ({
    id,
    name: payload,
    email: payload,
    groups: [payload],
    first_seen_at: WHEN,
    last_seen_at: WHEN,
    disabled_at: null,
  });
  const placed = (payload) => ({
    collection: payload,
    version: 1,
    policy: payload,
    policy_sha256: payload,
    set_by: payload,
    set_at: WHEN,
  });
  const gate = (payload) => ({ gate: payload, verdict: 'stop', observed: 0.1, threshold: 0.2 });
  const flip = (payload, id) => ({
    request_id: id,
    asked_at: WHEN,
    question: payload,
    before: { action: 'refuse', reason: payload },
    after: { action: 'cite', reason: null },
    gate: payload,
    was: gate(payload),
    would_be: gate(payload),
  });
  return {
    '/v1/documents': { documents: each(listed), next: null },
    ...Object.fromEntries(payloads.map((one, place) => [`/v1/documents/${idOf(place)}`, document(one, idOf(place))])),
    '/v1/search': { request_id: idOf(0), fallback_reasons: [], hits: each(hit) },
    ...Object.fromEntries(
      payloads.map((one, place) => [`/v1/documents/${idOf(place)}/passages/0`, passage(one, idOf(place))]),
    ),
    '/v1/memory': { entries: each(entry), next: null },
    '/v1/feedback': { feedback: each(said), next: null },
    '/v1/audit/actions': { actions: each(action), next: null },
    ...Object.fromEntries(
      payloads.map((one, place) => [`/v1/audit/${idOf(place)}`, { request_id: idOf(place), records: [record(one)] }]),
    ),
    '/v1/metrics': { documents: 1, days: [day] },
    '/v1/terms': {
      source: 'files',
      vocabularies: each((payload) => ({ id: payload, title: payload, terms: 1 })),
      terms: each((payload, id) => ({
        uri: id,
        vocabulary: payload,
        label: payload,
        matched: payload,
        definition: payload,
      })),
      total: payloads.length,
      suggestions: [...new Set(payloads)],
    },
    '/v1/evaluations': {
      runs: each((payload, id) => ({
        id,
        ran_at: WHEN,
        policy: payload,
        policy_sha256: payload,
        version: payload,
        question_set: payload,
        answering_model: payload,
        embedding_model: payload,
        documents: 1,
        questions: 1,
        passed: 1,
        targets_reached: true,
        risk_coverage: [{ coverage: 1, risk: 0 }],
        reliability: [{ confidence: 1, right: 1, count: 1, low: 0, high: 1 }],
      })),
    },
    '/v1/limits': {
      ...Object.fromEntries(
        ['key', 'person', 'tenant'].map((who) => [
          who,
          {
            requests_per_minute: 1,
            turns_at_once: 1,
            model_tokens_per_day: 1,
            documents_per_day: 1,
            bytes_per_day: 1,
          },
        ]),
      ),
      used: each((payload, id) => ({
        holder: `key:${id}`,
        name: payload,
        turns: 1,
        model_tokens: 1,
        documents: 1,
        bytes: 1,
      })),
    },
    '/v1/queue': {
      waiting: 1,
      retrying: 1,
      running: 1,
      failed: payloads.length + 1,
      oldest_waiting: WHEN,
      publications: 1,
      oldest_publication: null,
      taken_in_last_hour: 1,
      failures: each((payload) => ({ file: payload, collection: payload, failed_at: WHEN, reason: payload })),
    },
    '/v1/keys': { keys: each(key) },
    '/v1/groups': {
      groups: each((payload, id) => ({
        id,
        name: payload,
        role: 'curator',
        tags: [payload],
        hand_in: [payload],
        changed_at: WHEN,
      })),
    },
    '/v1/people': { people: each(person), next: null },
    '/v1/policies': { installation: { policy: first, policy_sha256: first }, places: each(placed) },
    '/v1/policies/what-if': {
      policy: first,
      policy_sha256: first,
      thresholds: each((setting) => ({ setting, value: 0.5, most: 1 })),
      decisions: 9,
      replayed: 5,
      not_replayed: { other_policy: 1, unreadable: 1, not_the_same: 1, out_of_time: 1 },
      lost: 1,
      won: 1,
      other_reason: 1,
      reworded: 1,
      flips: each(flip),
      policy_text: first,
    },
    '/readyz': { status: 'not_ready', not_ready: payloads, left_alone: payloads, policy_sha256: first },
  };
}
