// The collections that an asker may choose from: those of the documents that they may see.
import { api } from '../api';

const A_PAGE = 200;
/** Whoever sees more documents than these pages hold may miss a collection that has none among the latest. */
const MOST_PAGES = 5;

export async function collectionsOf(): Promise<string[]> {
  const names = new Set<string>();
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { documents, next }: Awaited<ReturnType<typeof api.documents>> = await api.documents({
      limit: A_PAGE,
      cursor,
    });
    for (const { collection } of documents) names.add(collection);
    if (!next) break;
    cursor = next;
  }
  return [...names].sort((one, other) => one.localeCompare(other));
}
