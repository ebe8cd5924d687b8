// Replies of a server, made up for the tests.

export const ID = '00000000-0000-4000-8000-000000000007';
const SHA = '0'.repeat(64);

export function citation(marker, what = {}) {
  const document_id = `00000000-0000-4000-8000-${String(marker).padStart(12, '0')}`;
  const snippet_full = what.snippet_full ?? 'x';
  return {
    marker,
    source_id: `${document_id}:0`,
    document_id,
    document_name: `Document ${marker}`,
    version: 1,
    updated_at: '2026-01-01T00:00:00Z',
    chunk_index: 0,
    page_number: 3,
    section: 'Section',
    relevance_score: 0.9,
    snippet: snippet_full,
    snippet_full,
    span: { start: 0, end: Array.from(snippet_full).length },
    document_sha256: SHA,
    address: null,
    collection: 'Handbook',
    file: 'file.md',
    link: 'javascript:alert(1)',
    status: 'in_force',
    replaced_by: [],
    ...what,
  };
}

/** An answer of these sentences, with its receipt. */
export function answered(sentences, citations) {
  const check = { verdict: 'supported', support: 1, by: 'verbatim' };
  const source = ({ source_id, version, span, document_sha256 }) => ({
    source_id,
    version,
    span,
    document_sha256,
    passage_sha256: SHA,
  });
  return {
    request_id: ID,
    action: 'cite',
    answer: sentences.map(({ text }) => text).join(''),
    refused: false,
    refusal_reason: null,
    why: null,
    nearest: [],
    reason: null,
    citations,
    confidence: null,
    retrieval_quality: {
      confidence_score: 0.5,
      confidence_level: 'low',
      fallback_active: false,
      fallback_reasons: [],
      degraded: false,
    },
    transparency: { statement: null, show_to_user: false },
    route_to: null,
    suggestions: [],
    warnings: [],
    model_used: 'extractive',
    context_chunks_used: 1,
    context_tokens_used: 1,
    generation_time_ms: 1,
    grounded: true,
    trace: [],
    receipt: {
      request_id: ID,
      asked_at: '2026-01-01T00:00:00Z',
      action: 'cite',
      answer_sha256: SHA,
      policy_sha256: SHA,
      trace_sha256: SHA,
      sha256: SHA,
      stretches: sentences.map(({ text, citations }) => ({
        text,
        kind: 'claim',
        check,
        sources: citations.map(source),
      })),
    },
  };
}

const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The events of an answer's stream. */
export function streamed(sentences, answer) {
  const said = sentences.map((sentence) => event('sentence', sentence)).join('');
  return { contentType: 'text/event-stream', body: `${said}${event('answer', answer)}` };
}
