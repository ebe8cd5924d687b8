// Where cited words stand on a page of a PDF. The page's text comes in pieces of a line or less, with ligatures, hyphens at
// the ends of lines and spaces of its own; so letters and digits alone are compared.

export interface Found {
  /** Which piece of the page's text. */
  piece: number;
  start: number;
  end: number;
}

/** Fewer letters than this stand in many places by chance. */
const LEAST_LETTERS = 8;
/** Where a quotation is interrupted on the page, runs of at least so many words are looked for. */
const LEAST_WORDS = 3;

const foldedOf = (text: string) => text.normalize('NFKC').toLocaleLowerCase();
const lettersOf = (text: string) => foldedOf(text).replace(/[^\p{L}\p{N}]/gu, '');

/** The places of each quotation, in the order of the page. */
export function found(pieces: string[], quotations: string[]): Found[] {
  let text = '';
  const places: Found[] = [];
  pieces.forEach((written, piece) => {
    let start = 0;
    for (const sign of written) {
      const end = start + sign.length;
      for (const letter of lettersOf(sign)) {
        text += letter;
        for (let unit = 0; unit < letter.length; unit++) places.push({ piece, start, end });
      }
      start = end;
    }
  });
  const runs = quotations.flatMap((quotation) => runsOf(text, quotation));
  runs.sort((one, other) => one[0] - other[0]);
  return runs.flatMap(([from, to]) => joined(places.slice(from, to)));
}

/** Where a quotation stands in the letters of a page: in one run, or else in several. */
function runsOf(text: string, quotation: string): [number, number][] {
  const whole = lettersOf(quotation);
  if (whole.length < LEAST_LETTERS) return [];
  const at = text.indexOf(whole);
  if (at >= 0) return [[at, at + whole.length]];
  const words = Array.from(foldedOf(quotation).matchAll(/[\p{L}\p{N}]+/gu), ([word]) => word);
  const runs: [number, number][] = [];
  let first = 0;
  let after = 0;
  while (first + LEAST_WORDS <= words.length) {
    const run = longest(text, words, first, after);
    if (run) {
      runs.push([run.at, run.at + run.letters]);
      after = run.at + run.letters;
    }
    first += run?.count ?? 1;
  }
  return runs;
}

/** The longest run of words from `first` on that the page has, after what was found before where it has it there. */
function longest(text: string, words: string[], first: number, after: number) {
  let best: { at: number; letters: number; count: number } | null = null;
  for (let count = LEAST_WORDS; first + count <= words.length; count++) {
    const run = words.slice(first, first + count).join('');
    const next = text.indexOf(run, after);
    const at = next >= 0 ? next : text.indexOf(run);
    if (at < 0) break;
    if (run.length >= LEAST_LETTERS) best = { at, letters: run.length, count };
  }
  return best;
}

/** One range for each piece. */
function joined(places: Found[]): Found[] {
  const ranges: Found[] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last?.piece === place.piece) last.end = Math.max(last.end, place.end);
    else ranges.push({ ...place });
  }
  return ranges;
}
