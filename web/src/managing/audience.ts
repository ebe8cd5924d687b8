// Who sees something that has these tags, in a sentence.
import type { Me } from '../api';
import { its } from './words';

export function audience(tags: string[], me: Me): string {
  const written = tags.map((tag) => tag.toLowerCase());
  if (written.includes('public')) return its.seenByAll;
  const others = written.filter((tag) => tag !== me.subject_id);
  return others.length === 0 ? its.seenByYou : its.seenBy(others.join(', '));
}
