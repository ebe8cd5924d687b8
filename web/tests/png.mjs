// Makes a screenshot small: at most 256 colours, which is what text on a plain page has, near enough.
import { deflateSync } from 'node:zlib';

/** The picture as an indexed PNG. `page` is any page of a browser: it decodes the picture. */
export async function small(page, picture) {
  const { width, height, palette, indexes } = await page.evaluate(reduce, picture.toString('base64'));
  const bytes = Buffer.from(indexes, 'base64');
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) bytes.copy(rows, row * (width + 1) + 1, row * width, (row + 1) * width);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each pixel, by palette.
  head.set([8, 3, 0, 0, 0], 8);
  const chunks = [
    ['IHDR', head],
    ['PLTE', Buffer.from(palette)],
    ['IDAT', deflateSync(rows, { level: 9 })],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks.map(([name, data]) => chunk(name, data))]);
}

function chunk(name, data) {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Runs in the browser. Colours that are alike become the commonest of them. */
async function reduce(encoded) {
  const blob = await (await fetch(`data:image/png;base64,${encoded}`)).blob();
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  const chosen = [];
  const index = new Map();
  const distance = (one, other) => Math.hypot(...one.map((value, at) => value - other[at]));
  for (const [pixel] of [...counts].sort((one, other) => other[1] - one[1])) {
    const colour = parts(pixel);
    let nearest = 0;
    for (let at = 1; at < chosen.length; at++)
      if (distance(chosen[at], colour) < distance(chosen[nearest], colour)) nearest = at;
    const isNew = chosen.length === 0 || (chosen.length < 256 && distance(chosen[nearest], colour) > 6);
    if (isNew) nearest = chosen.push(colour) - 1;
    index.set(pixel, nearest);
  }
  const indexes = Uint8Array.from(pixels, (pixel) => index.get(pixel));
  let text = '';
  for (let at = 0; at < indexes.length; at += 8192) text += String.fromCharCode(...indexes.subarray(at, at + 8192));
  return { width, height, palette: chosen.flat(), indexes: btoa(text) };
}
