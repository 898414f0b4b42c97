// SPDX-License-Identifier: BSD-3-Clause
//
// The pictures of README.md, made by the command and a browser: scripts/screenshots.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, open, output, run } from './browser.mjs';

const folder = await mkdtemp(join(tmpdir(), 'keepclear-shots-'));
const browser = await launch();

async function shoot(file, name, options, prepare) {
  const { page, faults } = await open(browser, `file://${file}`, options);
  if (prepare) await prepare(page);
  await page.waitForNetworkIdle({ idleTime: 500 });
  await page.screenshot({ path: join(output, `${name}.png`) });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  await page.close();
}

/** A part of a task of a built-in world as a log of states, one each two milliseconds, so much
 * faster; smoothly through its waypoints. */
async function statesOf(task, from, to, speed, step = 0.002) {
  const [header, ...rows] = (await readFile(task, 'utf8')).trim().split(/\r?\n/);
  const names = header.split(',').slice(1);
  const points = rows.map((row) => row.split(',').map(Number));
  const slope = (k, j) => {
    const [a, b] = [points[Math.max(k - 1, 0)], points[Math.min(k + 1, points.length - 1)]];
    return (b[j] - a[j]) / (b[0] - a[0]);
  };
  const lines = [`time,${names.map((n) => `q.${n}`)},${names.map((n) => `v.${n}`)}`];
  let k = 0;
  for (let i = 0; from + i * step * speed <= to; ++i) {
    const time = from + i * step * speed;
    while (k + 2 < points.length && points[k + 1][0] <= time) ++k;
    const [a, b] = [points[k], points[k + 1]];
    const h = b[0] - a[0];
    const u = (time - a[0]) / h;
    const q = [], v = [];
    for (let j = 1; j <= names.length; ++j) {
      const [m, n] = [h * slope(k, j), h * slope(k + 1, j)];
      const [c, d] = [3 * (b[j] - a[j]) - 2 * m - n, 2 * (a[j] - b[j]) + m + n];
      q.push(a[j] + u * (m + u * (c + u * d)));
      v.push((speed / h) * (m + u * (2 * c + 3 * u * d)));
    }
    lines.push([(i * step).toFixed(4), ...q, ...v].join(','));
  }
  return `${lines.join('\n')}\n`;
}

try {
  const report = join(folder, 'report.html');
  await run('report', 'two_arms', '--path', 'task2', '-o', report);
  await shoot(report, 'report', { width: 1280, height: 820 });

  await run('worlds', '--export', folder, 'two_arms');
  const states = join(folder, 'states.csv'), brake = join(folder, 'brake.json');
  await writeFile(states, await statesOf(join(folder, 'two_arms_task2.csv'), 30, 42, 2));
  await writeFile(
    brake,
    JSON.stringify({
      latency: 0.01,
      default: { max_acceleration: 10, brake_deceleration: 8, brake_deceleration_most: 10 },
    }),
  );
  const guard = join(folder, 'guard.html');
  const said = await run('report', 'two_arms', '--states', states, '--brake', brake, '-o', guard);
  process.stdout.write(said.stdout + said.stderr);
  await shoot(guard, 'guard', { width: 1280, height: 820, dark: true });

  const swept = join(output, 'swept.png');
  await run('report', 'humanoid', '--path', 'hands', '--png', swept, '--size', '1280x820');
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
