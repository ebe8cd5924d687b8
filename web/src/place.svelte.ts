// Where one is: the page and what is open on it, in the part of the address that never leaves the browser.
import { libraryAt } from './library/address';

/** A link to an answer: the conversation that has it, and its question for those who may not read that. */
export interface Shared {
  conversation: string;
  answer: string;
  question: string;
}

/** A passage of a document as it is now, and what its digest began with when it was cited; empty where nobody cited it. */
export interface LinkedPassage {
  document: string;
  index: string;
  title: string;
  of: string;
}

const OPERATING = ['overview', 'access', 'policies', 'evaluations', 'limits', 'records'] as const;

export type Place =
  | { page: 'asking'; shared: Shared | null; passage: LinkedPassage | null }
  | { page: 'library'; sought: string; collection: string }
  | { page: 'curating'; part: 'documents' | 'memory' | 'gaps' | 'terms'; question: string }
  | { page: 'operating'; part: (typeof OPERATING)[number] };

const LONGEST_QUESTION = 4000;

export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, part, rest] = path.split('/');
  if (page === 'curating') {
    // A question that was handed over, with a link to where it is answered.
    const question = new URLSearchParams(query).get('question') ?? '';
    return {
      page,
      part: part === 'memory' || part === 'gaps' || part === 'terms' ? part : 'documents',
      question: question.slice(0, LONGEST_QUESTION),
    };
  }
  if (page === 'library') {
    const asked = new URLSearchParams(query);
    return {
      page,
      sought: (asked.get('search') ?? '').slice(0, LONGEST_QUESTION),
      collection: asked.get('collection') ?? '',
    };
  }
  if (page === 'operating') {
    return { page, part: OPERATING.find((known) => known === part) ?? 'overview' };
  }
  if (page === 'answer' && part && rest) {
    const question = new URLSearchParams(query).get('question') ?? '';
    return {
      page: 'asking',
      shared: { conversation: part, answer: rest, question: question.slice(0, LONGEST_QUESTION) },
      passage: null,
    };
  }
  if (page === 'passage' && part && rest) {
    const of = new URLSearchParams(query).get('of') ?? '';
    return { page: 'asking', shared: null, passage: { document: part, index: rest, title: '', of } };
  }
  return { page: 'asking', shared: null, passage: null };
}

export function linkTo({ conversation, answer, question }: Shared): string {
  const query = new URLSearchParams({ question });
  return `${location.origin}/#/answer/${encodeURIComponent(conversation)}/${encodeURIComponent(answer)}?${query}`;
}

/** Under which the way to a place is kept while one signs in at the provider. */
const WAY = 'ibidem-way';

const way = sessionStorage.getItem(WAY);
sessionStorage.removeItem(WAY);
if (way?.startsWith('#/') && location.hash === '') history.replaceState(null, '', `/${way}`);

let current: Place = $state.raw(placeOf(location.hash));

window.addEventListener('hashchange', () => {
  // What does not begin with a slash leads to a place on the same page.
  if (location.hash === '' || location.hash.startsWith('#/')) current = placeOf(location.hash);
});

export const here = {
  get place(): Place {
    return current;
  },
  /** What the address leads to is not lost by signing in. */
  keep() {
    if (location.hash.startsWith('#/')) sessionStorage.setItem(WAY, location.hash);
  },
  /** What is looked for in the library stands in the address, so that one can go back to it. */
  look(sought: string, collection: string) {
    history.replaceState(null, '', `/${libraryAt(sought, collection)}`);
    current = { page: 'library', sought, collection };
  },
  /** Back to the asking page, without leaving a trace in the history. */
  home() {
    history.replaceState(null, '', '/');
    current = placeOf('');
  },
};
