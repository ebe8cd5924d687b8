// An answer's text: sentences cut at their footnotes, which are numbered in the order in which a reader meets them.
import type { Answer, Citation } from '../api';
import { words } from '../words';

/** A footnote, or words. Words that begin a sentence say whether it is a row of a table, which has a line of its own. */
export type Piece =
  | { text: string; begins?: 'row' | 'sentence' }
  | { number: number; citation: Citation; claim: string };

export interface Source {
  number: number;
  citation: Citation;
}

/** The numbers that a reader sees: 1, 2, 3 … in the order of appearance, whatever the engine counts. */
export class Numbering {
  private readonly given = new Map<number, Source>();

  of(citation: Citation): number {
    const known = this.given.get(citation.marker);
    if (known) return known.number;
    const number = this.given.size + 1;
    this.given.set(citation.marker, { number, citation });
    return number;
  }

  /** Every source by its number. What no sentence names comes last. */
  sources(citations: Citation[]): Source[] {
    for (const citation of citations) this.of(citation);
    return [...this.given.values()];
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The two words before a number tell whether the source itself has the number there. Markup between may be gone. */
const BEFORE = /(\S+\s+)?\S+$/;

/**
 * The places of a sentence's footnotes. A number in brackets that cites nothing is text like any other, and so is one
 * that the source itself has in this place: a document may write `[1]`, too.
 */
function footnotes(sentence: string, cited: Citation[]): { at: number; length: number; citation: Citation }[] {
  const places = Array.from(sentence.matchAll(/\[(\d+)\]/g), (match) => ({
    at: match.index,
    length: match[0].length,
    citation: cited.find((candidate) => candidate.marker === Number(match[1])),
  })).flatMap((place) => (place.citation ? [{ ...place, citation: place.citation }] : []));
  if (places.length === 0) return [];
  const sources = cited.map((citation) => oneLine(citation.snippet_full));
  const isItsOwn = ({ at, length }: { at: number; length: number }) => {
    const before = BEFORE.exec(oneLine(sentence.slice(0, at)))?.[0] ?? '';
    const gap = /\s$/.test(sentence.slice(0, at)) ? ' ' : '';
    return sources.some((source) => source.includes(`${before}${gap}${sentence.slice(at, at + length)}`));
  };
  const own = new Set(places.filter(isItsOwn));
  // Of what a sentence cites one footnote stays, the last: there the engine writes it.
  for (const citation of new Set(places.map((place) => place.citation))) {
    const its = places.filter((place) => place.citation === citation);
    const last = its.at(-1);
    if (last && its.every((place) => own.has(place))) own.delete(last);
  }
  return places.filter((place) => !own.has(place));
}

/** A row of a table, as the engine quotes it: `Within the country — Daily allowance: EUR 28`. */
const ROW = /^\S.* — .+: .*[^.!?…:;]$/s;

/** Cuts a sentence at its footnotes. */
export function pieces(sentence: string, cited: Citation[], numbering: Numbering): Piece[] {
  const notes = footnotes(sentence, cited);
  const texts = [0, ...notes.map(({ at, length }) => at + length)].map((start, index) =>
    sentence.slice(start, notes[index]?.at ?? sentence.length),
  );
  const claim = oneLine(texts.join(''));
  return texts.flatMap((text, index): Piece[] => {
    const citation = notes[index]?.citation;
    const begins = ROW.test(claim) ? 'row' : 'sentence';
    const written: Piece[] = text === '' ? [] : [index === 0 ? { text, begins } : { text }];
    return citation ? [...written, { number: numbering.of(citation), citation, claim }] : written;
  });
}

/** The end of the last word before a footnote, which stays on its line. No more of it: the widest letters must fit. */
const LAST_WORD = /\S{1,8}$/;

export interface Shown {
  before: string;
  /** What does not leave the footnote behind it. */
  tied: string;
  note: Exclude<Piece, { text: string }> | null;
}

/** Pieces as they are laid out: rows on lines of their own, and no footnote at the beginning of a line. */
export function shown(pieces: Piece[]): Shown[] {
  const all: Shown[] = [];
  let wasRow = false;
  for (const [at, piece] of pieces.entries()) {
    if (!('text' in piece)) {
      const last = all.at(-1);
      if (last && last.note === null && at > 0) last.note = piece;
      else all.push({ before: '', tied: '', note: piece });
      continue;
    }
    const isNew = at > 0 && piece.begins !== undefined && (wasRow || piece.begins === 'row');
    if (piece.begins) wasRow = piece.begins === 'row';
    const text = isNew ? `\n${piece.text.trimStart()}` : piece.text;
    const next = pieces[at + 1];
    const tied = next && !('text' in next) ? (LAST_WORD.exec(text)?.[0] ?? '') : '';
    all.push({ before: text.slice(0, text.length - tied.length), tied, note: null });
  }
  return all;
}

export interface LaidOut {
  sentences: Piece[][];
  sources: Source[];
}

/** A finished answer as it is shown, by the sentences of its receipt and what each of them rests on. */
export function laidOut(answer: Answer, numbering = new Numbering()): LaidOut {
  const stretches = answer.receipt?.stretches ?? [];
  const isWhole = stretches.map((stretch) => stretch.text).join('') === answer.answer;
  const cut = isWhole
    ? stretches.map((stretch) => {
        const own = answer.citations.filter((one) =>
          stretch.sources.some((source) => source.source_id === one.source_id),
        );
        // What cites nothing has no footnotes, whatever it says.
        return pieces(stretch.text, stretch.kind === 'claim' && own.length === 0 ? answer.citations : own, numbering);
      })
    : [pieces(answer.answer, answer.citations, numbering)];
  return { sentences: cut, sources: numbering.sources(answer.citations) };
}

/** The headings that a passage lies under. */
export const headings = (section: string) => section.split(' > ').join(' › ');

/** Where a citation leads, in words. */
export function place(citation: Citation): string {
  const parts = [
    citation.address && !citation.document_name.includes(citation.address) ? citation.address : null,
    citation.section ? headings(citation.section) : null,
    citation.page_number ? words.page(citation.page_number) : null,
    citation.cells ?? null,
  ];
  return parts.filter(Boolean).join(' · ');
}
