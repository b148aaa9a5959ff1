// All files of a folder as one, which the program carries inside: pack.mjs FOLDER FILE. What compresses is there twice, as it is and
// as NAME.gz. src/server/api/pages.cc reads it: name, '\0', size in four bytes, the smallest first, bytes; and so on.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, file] = process.argv.slice(2);
const kMost = 300 * 1024; // of what a browser may have to fetch, compressed
const parts = [];
let weight = 0;
const add = (name, bytes) => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  parts.push(Buffer.from(`${name}\0`), size, bytes);
};
const walk = (name) => {
  const path = join(folder, name);
  if (statSync(path).isDirectory()) return readdirSync(path).sort().forEach((one) => walk(`${name}/${one}`));
  const bytes = readFileSync(path);
  const small = gzipSync(bytes, { level: 9 });
  add(name, bytes);
  if (small.length < bytes.length) add(`${name}.gz`, small);
  weight += Math.min(bytes.length, small.length);
};
readdirSync(folder).sort().forEach((name) => walk(`/${name}`));
if (weight > kMost) throw new Error(`all pages together are ${weight} bytes compressed; at most ${kMost}`);
writeFileSync(`${file}.new`, Buffer.concat(parts));
renameSync(`${file}.new`, file);
console.log(`${weight} bytes compressed`);
