// The sections of a document in their order, from the passages that lie under them.
import { api } from '../api';

export interface Section {
  heading: string;
  /** How many headings it lies under. */
  depth: number;
  /** Its first passage. */
  index: number;
}

/** Longer documents are not read to their end for it. */
const MOST_PASSAGES = 120;
const AT_ONCE = 6;

export async function sectionsOf(id: string, passages: number): Promise<{ sections: Section[]; isCut: boolean }> {
  const count = Math.min(passages, MOST_PASSAGES);
  const paths: (string | null)[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, place) => String(at + place));
    const read = await Promise.all(some.map((index) => api.passage(id, index)));
    paths.push(...read.map(({ section }) => section ?? null));
  }
  return { sections: outlined(paths), isCut: passages > count };
}

/** Each heading once, where it first stands; also those that no passage lies under by itself. */
function outlined(paths: (string | null)[]): Section[] {
  const sections: Section[] = [];
  let before: string[] = [];
  for (const [index, path] of paths.entries()) {
    const headings = path ? path.split(' > ') : [];
    const shared = headings.findIndex((heading, depth) => heading !== before[depth]);
    // Headings above that have no text of their own begin with their first passage, too.
    if (shared >= 0)
      sections.push(...headings.slice(shared).map((heading, place) => ({ heading, depth: shared + place, index })));
    before = headings;
  }
  return sections;
}
