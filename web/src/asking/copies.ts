// Copies of an answer with its citations, for other programs.
import type { Answer, Citation } from '../api';
import { words } from '../words';
import { laidOut, type Piece, place } from './text';

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

function source(citation: Citation): string {
  return oneLine([citation.document_name, place(citation), words.version(citation.version)].filter(Boolean).join(', '));
}

function written(sentences: Piece[][], text: (text: string) => string, note: (number: number) => string): string {
  const all = sentences.flat().map((piece) => ('text' in piece ? text(piece.text) : note(piece.number)));
  return all.join('').trim();
}

/** A number in brackets that the document itself has is written `\[1\]`, so that it is no footnote of ours. */
export function asPlain(answer: Answer): string {
  const { sentences, sources } = laidOut(answer);
  const text = (text: string) => text.replace(/\[(\d+)\]/g, '\\[$1\\]');
  const list = sources.map(({ number, citation }) => `[${number}] ${source(citation)}`);
  return [written(sentences, text, (number) => `[${number}]`), list.join('\n')].filter(Boolean).join('\n\n');
}

const escaped = (text: string) => text.replace(/([\\`*_{}[\]<>#|])/g, '\\$1');

/** An answer's text and its notes, which are counted from `first` on. */
function inMarkdown(answer: Answer, first: number) {
  const { sentences, sources } = laidOut(answer);
  const name = (number: number) => `[^${first + number - 1}]`;
  return {
    text: written(sentences, escaped, name),
    notes: sources.map(({ number, citation }) => `${name(number)}: ${escaped(source(citation))}`),
  };
}

export function asMarkdown(question: string, answer: Answer): string {
  const { text, notes } = inMarkdown(answer, 1);
  return [`> ${escaped(oneLine(question))}`, text, notes.join('\n')].filter(Boolean).join('\n\n');
}

/** A whole conversation. Its notes are counted through, so that each number stands for one source. */
export function conversationAsMarkdown(title: string, turns: { question: string; answer: Answer }[]): string {
  const parts = [`# ${escaped(oneLine(title))}`];
  let first = 1;
  for (const { question, answer } of turns) {
    const { text, notes } = inMarkdown(answer, first);
    const why = answer.refused && answer.why && answer.why !== answer.answer ? escaped(answer.why) : '';
    parts.push(`## ${escaped(oneLine(question))}`, text, why, notes.join('\n'));
    first += notes.length;
  }
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const BIBTEX: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

/** The sources as entries for BibTeX, keyed by their address or title and their number. */
export function asBibtex(answer: Answer): string {
  const inBibtex = (text: string) =>
    oneLine(text.replace(/\p{Cc}/gu, ' ')).replace(/[\\{}$&#%_~^]/g, (sign) => BIBTEX[sign] ?? sign);
  const entries = laidOut(answer).sources.map(({ number, citation }) => {
    const name = (citation.address ?? citation.document_name).normalize('NFKD').replace(/[^A-Za-z0-9-]+/g, '');
    const changed = new Date(citation.updated_at);
    const link = citation.link && /^https?:\/\/[^\s{}\\]+$/.test(citation.link) ? citation.link : null;
    const note = [words.version(citation.version), place(citation), `sha256 ${citation.document_sha256}`];
    const fields = [
      ['title', `{${inBibtex(citation.document_name)}}`],
      [
        'howpublished',
        [citation.collection, citation.file]
          .filter(Boolean)
          .map((text) => inBibtex(text ?? ''))
          .join(', '),
      ],
      ['year', String(changed.getUTCFullYear())],
      ['month', String(changed.getUTCMonth() + 1)],
      ['note', inBibtex(note.filter(Boolean).join(', '))],
      ['url', link],
    ].filter(([, value]) => value);
    const lines = fields.map(([field, value]) => `  ${field} = {${value}},`);
    return `@misc{${name.slice(0, 40) || 'source'}-${number},\n${lines.join('\n')}\n}`;
  });
  return entries.join('\n\n');
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
