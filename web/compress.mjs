// Compresses what the build made, once, so that the server need not; and holds the first load to its bound: the page and
// what it names. Other files are loaded when somebody opens the page that they are for. The widget has a bound of its own.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const MOST_BYTES = 100_000;
const MOST_OF_WIDGET = 40_000;
const page = readFileSync('dist/index.html', 'utf8');
const named = new Set([...page.matchAll(/assets\/([^"]+)"/g)].map(([, name]) => name));
const sizes = new Map();
for (const name of readdirSync('dist/assets')) {
  const packed = gzipSync(readFileSync(`dist/assets/${name}`), { level: 9 });
  writeFileSync(`dist/assets/${name}.gz`, packed);
  sizes.set(name, packed.length);
}
// What a script imports by name at its beginning is loaded with it.
const first = new Set(named);
for (const name of first) {
  if (!name.endsWith('.js')) continue;
  const imports = readFileSync(`dist/assets/${name}`, 'utf8').matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g);
  for (const [, other] of imports) first.add(other);
}
const sum = (names) => names.reduce((all, name) => all + (sizes.get(name) ?? 0), 0);
const firstLoad = page.length + sum([...first]);
const later = sum([...sizes.keys()].filter((name) => !first.has(name)));
console.log(`first load: ${firstLoad} bytes with gzip, of at most ${MOST_BYTES}; later, when it is opened: ${later}`);
const widget = gzipSync(readFileSync('dist/embed.js'), { level: 9 });
writeFileSync('dist/embed.js.gz', widget);
console.log(`widget: ${widget.length} bytes with gzip, of at most ${MOST_OF_WIDGET}`);
if (firstLoad > MOST_BYTES || widget.length > MOST_OF_WIDGET) process.exit(1);
