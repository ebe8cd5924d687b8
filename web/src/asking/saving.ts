// Files for the asker: the original of a document, or what is written here.
import { api } from '../api';

/** What is left of a title in the name of a file. */
export const fileNameOf = (title: string, otherwise: string) =>
  title
    .replace(/[^\p{L}\p{N} ._-]/gu, '')
    .trim()
    .slice(0, 80) || otherwise;

export function saveAs(file: Blob, name: string) {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export async function save(id: string, title: string): Promise<void> {
  const original = await api.original(id);
  saveAs(original, `${fileNameOf(title, 'original')}${original.name.slice(original.name.lastIndexOf('.'))}`);
}
