// Compresses what the build made, once and in two ways, so that the server need not; and holds the first load to its bound: the page and
// what it names. Other files are loaded when somebody opens the page that they are for. The widget has a bound of its own.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const MOST_BYTES = 100_000;
const MOST_OF_WIDGET = 40_000;
const page = readFileSync('dist/index.html', 'utf8');
const named = new Set([...page.matchAll(/assets\/([^"]+)"/g)].map(([, name]) => name));
const sizes = new Map();
const smaller = new Map();

/** Writes both forms of a file beside it, and returns their sizes. Fonts for PDF files are packed the quick way alone. */
function pack(file) {
  const plain = readFileSync(file);
  const gzip = gzipSync(plain, { level: 9 });
  writeFileSync(`${file}.gz`, gzip);
  if (!/\.(js|css|svg)$/.test(file)) return [gzip.length, gzip.length];
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } });
  writeFileSync(`${file}.br`, brotli);
  return [gzip.length, brotli.length];
}

for (const name of readdirSync('dist/assets')) {
  const [gzip, brotli] = pack(`dist/assets/${name}`);
  sizes.set(name, gzip);
  smaller.set(name, brotli);
}
// What a script imports by name at its beginning is loaded with it.
const first = new Set(named);
for (const name of first) {
  if (!name.endsWith('.js')) continue;
  const imports = readFileSync(`dist/assets/${name}`, 'utf8').matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g);
  for (const [, other] of imports) first.add(other);
}
const sum = (names, of = sizes) => names.reduce((all, name) => all + (of.get(name) ?? 0), 0);
const firstLoad = page.length + sum([...first]);
const later = sum([...sizes.keys()].filter((name) => !first.has(name)));
const withBrotli = page.length + sum([...first], smaller);
console.log(
  `first load: ${firstLoad} bytes with gzip, of at most ${MOST_BYTES}, ${withBrotli} with brotli; ` +
    `later, when it is opened: ${later}`,
);
const [widget] = pack('dist/embed.js');
console.log(`widget: ${widget} bytes with gzip, of at most ${MOST_OF_WIDGET}`);
if (firstLoad > MOST_BYTES || widget > MOST_OF_WIDGET) process.exit(1);
