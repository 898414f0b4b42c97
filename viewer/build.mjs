// SPDX-License-Identifier: BSD-3-Clause
//
// node build.mjs FOLDER: the page as three files (page.html, page.css, page.js) and as page.inc, the
// same as literals that the command is compiled with.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const folder = process.argv[2];
if (!folder) {
  console.error('usage: node build.mjs FOLDER');
  process.exit(64);
}
await mkdir(folder, { recursive: true });
await build({
  entryPoints: { page: join(source, 'main.ts') },
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'ascii',
  legalComments: 'inline',
  logLevel: 'warning',
});
await writeFile(join(folder, 'page.html'), await readFile(join(source, 'page.html')));

// C++ promises literals of 65536 characters; longer files come in pieces.
const piece = 60000;
let lines = '';
for (const name of ['page.html', 'page.css', 'page.js']) {
  const text = await readFile(join(folder, name), 'latin1');
  if (text.includes(')keepclear"')) throw new Error(`${name} has the end of a literal in it`);
  for (let at = 0; at < text.length; at += piece) {
    lines += `{"${name}", R"keepclear(${text.slice(at, at + piece)})keepclear"},\n`;
  }
}
await writeFile(join(folder, 'page.inc'), lines, 'latin1');
