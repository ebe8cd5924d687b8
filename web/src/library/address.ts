// The library's address, for links to it. The widget has it, too: nothing else belongs here.

/** Where the documents are listed, or what was found in them. */
export function libraryAt(sought: string, collection: string): string {
  const asked = Object.entries({ search: sought, collection }).filter(([, value]) => value !== '');
  return asked.length > 0 ? `#/library?${new URLSearchParams(asked)}` : '#/library';
}
