// Why a file cannot be read, in words: as far as the file itself shows it, and as the server gives the reason.
import { its } from '../managing/words';

/** Files of these formats are ZIP archives. Locked by a password, or of an older format, they are something else. */
const ARCHIVES = /\.(docx|xlsx|pptx)$/i;
/** How that begins. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0];
/** A PDF says at its end whether it is encrypted. */
const END_OF_PDF = 64 * 1024;

export async function isLocked(file: File): Promise<boolean> {
  if (!ARCHIVES.test(file.name)) return false;
  const begins = new Uint8Array(await file.slice(0, COMPOUND.length).arrayBuffer());
  return COMPOUND.every((byte, at) => begins[at] === byte);
}

/** Whether a PDF is encrypted. Some can be read all the same: those that only forbid to print or to copy. */
export async function looksLocked(file: File): Promise<boolean> {
  if (!/\.pdf$/i.test(file.name)) return false;
  return (await file.slice(Math.max(0, file.size - END_OF_PDF)).text()).includes('/Encrypt');
}

/** The server's reason, which is in English, in the language of the page and without what only operators need. */
export function whyUnread(reason: string): string {
  const known: [RegExp, string][] = [
    [/older format/, its.unread.locked],
    [/protected by a password; /, its.unread.password],
    [/holds no text.*OCR/, its.unread.pictures],
    [/holds no text/, its.unread.empty],
    [/too large/, its.unread.large],
    [/original .* is missing/, its.unread.lost],
    [/^this \w+ file cannot be read/, its.unread.damaged],
  ];
  return known.find(([pattern]) => pattern.test(reason))?.[1] ?? its.unread.other(reason);
}
