// An answer's text: pieces with their footnotes, and copies with their citations.
import type { Answer, Citation } from '../api';
import { words } from '../words';

export type Piece = { text: string } | { marker: number; citation: Citation; claim: string };

/** Cuts a sentence at its markers. A number that cites nothing is text like any other. */
export function pieces(sentence: string, citations: Citation[]): Piece[] {
  const found: Piece[] = [];
  const claim = sentence.replace(/\s*\[\d+\]/g, '').trim();
  let rest = 0;
  for (const match of sentence.matchAll(/\[(\d+)\]/g)) {
    const marker = Number(match[1]);
    const citation = citations.find((candidate) => candidate.marker === marker);
    if (!citation) continue;
    if (match.index > rest) found.push({ text: sentence.slice(rest, match.index) });
    found.push({ marker, citation, claim });
    rest = match.index + match[0].length;
  }
  if (rest < sentence.length) found.push({ text: sentence.slice(rest) });
  return found;
}

/** The sentences of a finished answer, as its receipt has them. */
export function sentences(answer: Answer): string[] {
  const stretches = answer.receipt?.stretches.map((stretch) => stretch.text) ?? [];
  return stretches.join('') === answer.answer ? stretches : [answer.answer];
}

/** The headings that a passage lies under. */
export const headings = (section: string) => section.split(' > ').join(' › ');

/** Where a citation leads, in words. */
export function place(citation: Citation): string {
  const parts = [
    citation.address && !citation.document_name.includes(citation.address) ? citation.address : null,
    citation.section ? headings(citation.section) : null,
    citation.page_number ? words.page(citation.page_number) : null,
  ];
  return parts.filter(Boolean).join(' · ');
}

function source(citation: Citation): string {
  return [citation.document_name, place(citation), words.version(citation.version)].filter(Boolean).join(', ');
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

export function asPlain(answer: Answer): string {
  const sources = answer.citations.map((citation) => `[${citation.marker}] ${oneLine(source(citation))}`);
  return [answer.answer.trim(), sources.join('\n')].filter(Boolean).join('\n\n');
}

export function asMarkdown(question: string, answer: Answer): string {
  const escaped = (text: string) => text.replace(/([\\`*_{}[\]<>#|])/g, '\\$1');
  const cited = new Set(answer.citations.map((citation) => citation.marker));
  const text = answer.answer
    .trim()
    .split(/(\[\d+\])/)
    .map((piece) => (cited.has(Number(piece.slice(1, -1))) ? `[^${piece.slice(1, -1)}]` : escaped(piece)))
    .join('');
  const notes = answer.citations.map((citation) => `[^${citation.marker}]: ${escaped(oneLine(source(citation)))}`);
  return [`> ${escaped(oneLine(question))}`, text, notes.join('\n')].filter(Boolean).join('\n\n');
}

/** True if it worked: without https a browser has no clipboard, and an older way is tried. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const worked = document.execCommand('copy');
    field.remove();
    return worked;
  }
}
