// Compresses what the build made, once, so that the server need not; and holds the first load to its bound.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const MOST_BYTES = 100_000;
let sum = readFileSync('dist/index.html').length;
for (const name of readdirSync('dist/assets')) {
  const packed = gzipSync(readFileSync(`dist/assets/${name}`), { level: 9 });
  writeFileSync(`dist/assets/${name}.gz`, packed);
  sum += packed.length;
}
console.log(`first load: ${sum} bytes with gzip, of at most ${MOST_BYTES}`);
if (sum > MOST_BYTES) process.exit(1);
