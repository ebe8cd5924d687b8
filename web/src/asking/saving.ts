// The original of a document, saved as a file.
import { api } from '../api';

export async function save(id: string, title: string): Promise<void> {
  const original = await api.original(id);
  const address = URL.createObjectURL(original);
  const ending = original.name.slice(original.name.lastIndexOf('.'));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${title.replace(/[^\p{L}\p{N} ._-]/gu, '').slice(0, 80) || 'original'}${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
