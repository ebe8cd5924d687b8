// The original of a document, saved as a file.
import { api } from '../api';

const ENDINGS: Record<string, string> = { markdown: 'md', html: 'html', pdf: 'pdf', docx: 'docx' };

export async function save(id: string, format: string, title: string): Promise<void> {
  const address = URL.createObjectURL(await api.original(id));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${title.replace(/[^\p{L}\p{N} ._-]/gu, '').slice(0, 80) || 'original'}.${ENDINGS[format] ?? 'txt'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
