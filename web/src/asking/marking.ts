// Where the words of a claim stand in its source, so that they can be marked there.

export interface Part {
  text: string;
  kind: 'plain' | 'passage' | 'quoted';
}

/** How much of a long document is shown on each side of the passage, in characters. */
const AROUND = 12_000;
/** The same for whoever reads the document itself: some hundred pages. */
export const WHOLE = 300_000;
/** Fewer words than this stand in many places by chance. */
const LEAST_WORDS = 3;

export interface Marked {
  parts: Part[];
  cutBefore: boolean;
  cutAfter: boolean;
}

/** The document's text with the passage and, in it, the claim's own words. Spans count characters, not UTF-16 units. */
export function marked(text: string, span: { start: number; end: number }, claim: string, around = AROUND): Marked {
  const signs = Array.from(text);
  const from = Math.max(0, span.start - around);
  const to = Math.min(signs.length, span.end + around);
  const slice = (start: number, end: number) => signs.slice(start, end).join('');
  const before = slice(from, span.start);
  const passage = slice(span.start, span.end);
  const after = slice(span.end, to);
  const parts: Part[] = [{ text: before, kind: 'plain' }];
  let at = 0;
  for (const [start, end] of quotations(passage, claim)) {
    parts.push(
      { text: passage.slice(at, start), kind: 'passage' },
      { text: passage.slice(start, end), kind: 'quoted' },
    );
    at = end;
  }
  parts.push({ text: passage.slice(at), kind: 'passage' }, { text: after, kind: 'plain' });
  return {
    parts: parts.filter((part) => part.text !== ''),
    cutBefore: from > 0,
    cutAfter: to < signs.length,
  };
}

/** Ranges of the passage that the claim has word for word, in order and apart from each other. */
function quotations(passage: string, claim: string): [number, number][] {
  const source = wordsOf(passage);
  const said = wordsOf(claim);
  const ranges: [number, number][] = [];
  let at = 0;
  while (at < said.length) {
    const { start, length } = longest(source, said, at);
    const first = source[start];
    const last = source[start + length - 1];
    if (length >= LEAST_WORDS && first && last) ranges.push([first.start, closed(passage, last.end)]);
    at += Math.max(1, length);
  }
  ranges.sort((one, other) => one[0] - other[0]);
  return ranges.filter((range, index) => index === 0 || range[0] >= (ranges[index - 1]?.[1] ?? 0));
}

/** A quotation goes on to the end of the signs behind its last word. */
function closed(passage: string, end: number): number {
  return end + (/^[^\s\p{L}\p{N}]*/u.exec(passage.slice(end))?.[0].length ?? 0);
}

interface Word {
  folded: string;
  start: number;
  end: number;
}

function wordsOf(text: string): Word[] {
  const found = text.matchAll(/[\p{L}\p{N}]+/gu);
  return Array.from(found, (match) => ({
    folded: match[0].toLocaleLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The longest run of the source that the claim continues with from `at`. */
function longest(source: Word[], said: Word[], at: number): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < source.length; start++) {
    let length = 0;
    while (
      at + length < said.length &&
      start + length < source.length &&
      source[start + length]?.folded === said[at + length]?.folded
    )
      length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
