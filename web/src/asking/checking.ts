// An answer's receipt held against the documents as they are now, sentence by sentence.
import { type Answer, api, type DocumentBody, Problem, type Stretch } from '../api';

/** What became of a sentence, from good to bad. */
export type Outcome =
  | 'holds'
  | 'still'
  | 'elsewhere'
  | 'unchecked'
  | 'unconfirmed'
  | 'changed'
  | 'contradicted'
  | 'gone';

export const stillHolds = (outcome: Outcome) => outcome === 'holds' || outcome === 'still';

export interface Checked {
  text: string;
  outcome: Outcome;
}

const LONGEST_CLAIM = 2000;
const MOST_SOURCES = 16;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sentences that claim something. Headings and words of the policy file rest on no source. */
export const claims = (answer: Answer) => answer.receipt?.stretches.filter(({ kind }) => kind === 'claim') ?? [];

/** Checks one sentence after the other. Documents are read once. */
export async function* checkedAgain(answer: Answer): AsyncGenerator<Checked> {
  const known = new Map<string, Promise<DocumentBody | null>>();
  const document = (id: string) => {
    const there = known.get(id) ?? api.document(id).catch(absent);
    known.set(id, there);
    return there;
  };
  for (const stretch of claims(answer)) {
    // Numbers in brackets are taken out as the verifier does it.
    const text = stretch.text.replace(/\s*\[\d+\]/g, '').trim();
    yield { text, outcome: await outcome(stretch, text, answer, document) };
  }
}

function absent(error: unknown): null {
  if (error instanceof Problem && error.status === 404) return null;
  throw error;
}

async function outcome(
  stretch: Stretch,
  claim: string,
  answer: Answer,
  document: (id: string) => Promise<DocumentBody | null>,
): Promise<Outcome> {
  const ids = stretch.sources.map(({ source_id }) => source_id.split(':')[0] ?? '');
  // A term of a vocabulary is not in the catalogue.
  if (ids.length === 0 || !ids.every((id) => UUID.test(id)) || claim.length > LONGEST_CLAIM) return 'unchecked';
  const documents = await Promise.all(ids.map(document));
  if (documents.some((one) => one === null)) return 'gone';
  const isSame = stretch.sources.every((source, index) => documents[index]?.document_sha256 === source.document_sha256);
  if (isSame) {
    const sources = [...new Set(stretch.sources.map(({ source_id }) => source_id))].slice(0, MOST_SOURCES);
    const { verdict } = await api.claim({ claim, sources });
    if (verdict === 'supported') return 'holds';
    return verdict === 'unchecked' ? 'unchecked' : 'unconfirmed';
  }
  // Passages of a newer version have other numbers: it is searched.
  const collections = answer.citations.flatMap(({ document_id, collection }) =>
    collection && ids.includes(document_id) ? [collection] : [],
  );
  const { verdict, passages } = await api.claim({ claim, collections: [...new Set(collections)] });
  const supporting = passages.filter((passage) => passage.verdict === 'supported');
  if (supporting.some(({ source_id }) => ids.includes(source_id.split(':')[0] ?? ''))) return 'still';
  if (supporting.length > 0) return 'elsewhere';
  if (verdict === 'unchecked') return 'unchecked';
  return verdict === 'contradicted' ? 'contradicted' : 'changed';
}
