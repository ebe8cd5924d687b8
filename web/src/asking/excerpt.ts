// What of a passage is shown beside a refusal: the part with most words of the question, and these marked.

export interface Piece {
  text: string;
  marked: boolean;
}

const LONGEST = 260;
/** Shorter words say nothing of the matter: "the", "can". */
const SHORTEST_WORD = 4;
/** So many letters of the shorter word's end may differ, and so many of both together: "carried" and "carry", "Tage" and "Tagen". */
const ENDING = 2;
const ENDINGS = 5;

const wordsOf = (text: string) =>
  Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), (match) => ({
    at: match.index,
    word: match[0].toLowerCase(),
    length: match[0].length,
  }));

const alike = (one: string, other: string) => {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared++;
  const least = Math.max(SHORTEST_WORD, Math.min(one.length, other.length) - ENDING);
  return one === other || (shared >= least && one.length + other.length - 2 * shared <= ENDINGS);
};

/** The part of a text that has most of the question's words, in pieces of which those words are marked. */
export function excerpt(text: string, question: string): Piece[] {
  const line = text.replace(/\s+/g, ' ').trim();
  const sought = wordsOf(question)
    .map(({ word }) => word)
    .filter((word) => word.length >= SHORTEST_WORD);
  const found = wordsOf(line).filter(
    ({ word }) => word.length >= SHORTEST_WORD && sought.some((one) => alike(one, word)),
  );
  const within = (from: number) => found.filter(({ at, length }) => at >= from && at + length <= from + LONGEST);
  const starts = [0, ...found.map(({ at }) => at)];
  const best = starts.reduce((one, other) => (within(other).length > within(one).length ? other : one), 0);
  const room = line.length - LONGEST;
  const from = room <= 0 ? 0 : wordStart(line, Math.min(Math.max(0, best - 30), room));
  const to = room <= 0 ? line.length : wordEnd(line, Math.min(line.length, from + LONGEST));
  const pieces: Piece[] = [];
  let done = from;
  for (const { at, length } of found.filter(({ at, length }) => at >= from && at + length <= to)) {
    if (at > done) pieces.push({ text: line.slice(done, at), marked: false });
    pieces.push({ text: line.slice(at, at + length), marked: true });
    done = at + length;
  }
  if (done < to) pieces.push({ text: line.slice(done, to), marked: false });
  if (from > 0) pieces.unshift({ text: '… ', marked: false });
  if (to < line.length) pieces.push({ text: ' …', marked: false });
  return pieces;
}

const wordEnd = (line: string, at: number) => {
  const space = line.lastIndexOf(' ', at);
  return at === line.length || space < at - LONGEST / 2 ? at : space;
};

const wordStart = (line: string, at: number) =>
  at === 0 ? 0 : Math.max(0, line.lastIndexOf(' ', at)) + (line.lastIndexOf(' ', at) < 0 ? 0 : 1);
