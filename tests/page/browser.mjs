// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of the page share: the command, a browser that reports everything that goes wrong,
// pictures and whether there is something on them.
import { execFile, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';

const root = process.env.KEEPCLEAR_ROOT;
const require = createRequire(join(root, 'viewer', 'package.json'));
const puppeteer = require('puppeteer-core');

export const command = process.env.KEEPCLEAR_COMMAND;
export const output = process.env.KEEPCLEAR_OUTPUT;
export const data = process.env.KEEPCLEAR_DATA ?? join(root, '..', 'shared');
const chromium = process.env.KEEPCLEAR_CHROMIUM;
await mkdir(output, { recursive: true });

/** Runs the command to its end. */
export async function run(...options) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, options, { maxBuffer: 1 << 28 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

const servers = new Set();

/** What a test that failed has left running would keep the others from ending. */
export function stopServers() {
  for (const child of servers) child.kill('SIGKILL');
}

/** `keepclear view`, until stopped. */
export async function serve(...options) {
  const child = spawn(command, ['view', ...options, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  servers.add(child);
  child.on('exit', () => servers.delete(child));
  let told = '';
  child.stderr.on('data', (text) => (told += text));
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (more) => {
      text += more;
      if (text.includes('\n')) resolve(JSON.parse(text).url);
    });
    child.on('exit', (code) => reject(new Error(`view ended with ${code}: ${told}`)));
  });
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}

export async function launch() {
  return puppeteer.launch({
    executablePath: chromium,
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--no-first-run',
    ],
  });
}

/** A page on which every error, dialog and request to somewhere else is a fault. */
export async function open(browser, url, { width = 1400, height = 900, dark = false } = {}) {
  const page = await browser.newPage();
  // A frame may take a second on a busy machine, and a page that is not in front has none: what is
  // waited for is looked at by time.
  const waitFor = page.waitForFunction.bind(page);
  page.waitForFunction = (condition, options, ...rest) =>
    waitFor(condition, { polling: 50, timeout: 60000, ...options }, ...rest);
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
  ]);
  const faults = [];
  const home = new URL(url);
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol === 'data:' || protocol === 'blob:') return;
    if (protocol !== home.protocol || host !== home.host) faults.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForFunction(() => document.body.dataset.ready === 'yes');
  // A slider that is moved before the program has answered asks nothing.
  if (home.protocol !== 'file:') {
    await page.waitForFunction(() => document.body.dataset.connection === 'live');
  }
  return { page, faults };
}

/** Keeps a picture of the page, or of an element, and tells how much is on it. */
export async function picture(page, name, selector) {
  const target = selector ? await page.$(selector) : page;
  const bytes = await target.screenshot({ path: join(output, `${name}.png`) });
  const viewer = await page.browser().newPage();
  try {
    return await viewer.evaluate(async (encoded) => {
      const image = new Image();
      image.src = `data:image/png;base64,${encoded}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const count = new Map();
      for (let i = 0; i < data.length; i += 4) {
        const colour = (data[i] >> 3) * 1024 + (data[i + 1] >> 3) * 32 + (data[i + 2] >> 3);
        count.set(colour, (count.get(colour) ?? 0) + 1);
      }
      const most = Math.max(...count.values());
      return { colours: count.size, other: 1 - most / (data.length / 4) };
    }, Buffer.from(bytes).toString('base64'));
  } finally {
    await viewer.close();
  }
}
