// SPDX-License-Identifier: BSD-3-Clause
//
// The page in a real browser: what it shows is what the command says. Pictures of every test are kept
// in KEEPCLEAR_OUTPUT, and frame rates in frame_rates.json there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { command, data, launch, open, output, picture, run, serve, stopServers } from './browser.mjs';

let browser, folder;
before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), 'keepclear-page-'));
});
after(async () => {
  stopServers();
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

const shownDistance = (page) => page.$eval('#distance', (e) => e.dataset.value);

/** The configuration that the page shows, as --q takes it. */
const shownConfiguration = (page) =>
  page.evaluate(() => {
    const { document: shown, app } = window.keepclear;
    return app.shown.q.map((value, i) => `${shown.world.joints[i].name}=${value}`).join(',');
  });

async function expectDistanceOfCommand(page, world) {
  const q = await shownConfiguration(page);
  const { stdout } = await run('distance', world, '--q', q, '--json');
  assert.equal(await shownDistance(page), String(JSON.parse(stdout).distance));
}

function expectSomething(seen) {
  assert.ok(seen.colours > 30 && seen.other > 0.02, `nearly empty: ${JSON.stringify(seen)}`);
}

/** Waits until the page has the answer to what was asked last. */
async function settled(page) {
  await page.bringToFront();
  await page.waitForFunction(() => (document.body.dataset.asking ?? '0') === '0');
}

test('a slider is dragged, and the distance is that of keepclear distance', async () => {
  const server = await serve('six_axis_arm', '--port', '0');
  const { page, faults } = await open(browser, server.url);
  expectSomething(await picture(page, 'six_axis_arm', '#scene'));
  await expectDistanceOfCommand(page, 'six_axis_arm');

  const before = await shownDistance(page);
  for (const joint of await page.$$eval('input[type=range][data-joint]', (inputs) =>
    inputs.slice(0, 3).map((input) => input.dataset.joint),
  )) {
    const slider = await page.$(`input[type=range][data-joint="${joint}"]`);
    await slider.evaluate((e) => e.scrollIntoView({ block: 'center' }));
    const { x, y, width, height } = await slider.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 0.6 * width, y + height / 2, { steps: 5 });
    await page.mouse.up();
  }
  await settled(page);
  assert.notEqual(await shownDistance(page), before);
  await expectDistanceOfCommand(page, 'six_axis_arm');

  // The number field takes what no slider step hits.
  await page.$eval('input[type=number][data-joint]', (input) => {
    input.value = '0.123456789';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await settled(page);
  assert.match(await shownConfiguration(page), /=0\.123456789,/);
  await expectDistanceOfCommand(page, 'six_axis_arm');
  await picture(page, 'six_axis_arm_moved');
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await server.stop(), 0);
});

test('a body that is clicked tells its link, points and nearest partner', async () => {
  const server = await serve('two_arms', '--port', '0');
  const { page, faults } = await open(browser, server.url);
  const { name, at } = await page.evaluate(() => {
    const { document: shown, scene } = window.keepclear;
    for (let solid = 0; solid < shown.world.solids.length; ++solid) {
      const at = shown.world.solids[solid].moves && scene.screenPointOf(solid);
      if (at) return { name: shown.world.solids[solid].name, at };
    }
    return {};
  });
  assert.ok(at, 'no link is seen');
  const canvas = await (await page.$('#scene')).boundingBox();
  await page.mouse.click(canvas.x + at.x, canvas.y + at.y);
  const told = await page.$eval('#details', (e) => e.textContent);
  assert.ok(told.includes(name), `${name} not in: ${told}`);
  assert.match(told, /points/i);
  assert.match(told, /radius/i);
  assert.match(told, /nearest/i);
  assert.deepEqual(faults, []);
  await page.close();
  await server.stop();
});

test('a motion that is played comes to the first contact of keepclear certify', async () => {
  const server = await serve('two_arms', '--path', 'task2', '--port', '0');
  const { page, faults } = await open(browser, server.url);
  const { stdout } = await run('certify', 'two_arms', '--path', 'task2', '--json');
  const certified = JSON.parse(stdout);
  assert.equal(certified.verdict, 'contact');
  const value = await page.$eval('#first-contact', (e) => e.dataset.value);
  assert.equal(value, String(certified.first_contact));
  assert.match(await page.$eval('#motion-verdict', (e) => e.textContent), /contact/i);

  await page.click('#play');
  await page.waitForFunction(() => window.keepclear.app.shown.source === 'motion');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('k');
  const shown = await page.evaluate(() => window.keepclear.app.shown.verdict);
  assert.equal(shown, 'contact');
  await picture(page, 'two_arms_contact');
  assert.deepEqual(faults, []);

  // A file that is handed over answers as the command does; one that is none is refused in words.
  const free = join(folder, 'free.csv');
  const joints = await page.evaluate(() => window.keepclear.document.world.joints.map((j) => j.name));
  await writeFile(free, `time,${joints[0]}\n0,0\n1,0.1\n`);
  await (await page.$('#motion-file')).uploadFile(free);
  await page.waitForFunction(() => /free\.csv/.test(document.querySelector('#panels').innerText));
  const own = JSON.parse((await run('certify', 'two_arms', '--path', free, '--json')).stdout);
  assert.equal(
    await page.$eval('#motion-clearance', (e) => e.dataset.value),
    String(own.clearance),
  );
  const broken = join(folder, 'broken.csv');
  await writeFile(broken, 'time,nobody\n0,1\n');
  await (await page.$('#motion-file')).uploadFile(broken);
  await page.waitForFunction(() => /nobody/.test(document.body.innerText));
  await page.close();
  await server.stop();
});

test('an answer that comes late does not take the page from what was asked for since', async () => {
  const server = await serve('two_arms', '--path', 'task1', '--port', '0');
  const { page, faults } = await open(browser, server.url);
  let patience = 0;
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    if (request.url().endsWith('/api/pose')) await wait(patience);
    await request.continue();
  });
  const move = (value) =>
    page.$eval(
      'input[type=range][data-joint]',
      (slider, to) => {
        slider.value = to;
        slider.dispatchEvent(new Event('input'));
      },
      value,
    );
  const shown = () =>
    page.evaluate(() => ({
      source: window.keepclear.app.shown.source,
      q: window.keepclear.app.shown.q[0],
      slider: Number(document.querySelector('input[type=range][data-joint]').value),
      waiting: document.body.classList.contains('waiting'),
    }));

  // Until there is an answer, the numbers are told to be those of before.
  // Frames may take a second here: they are not what is waited by, and the answer takes longer.
  patience = 5000;
  await move(0.5);
  await page.waitForFunction(() => document.body.classList.contains('waiting'));
  assert.notEqual((await shown()).q, 0.5);
  patience = 1200;
  await settled(page);
  assert.deepEqual(await shown(), { source: 'pose', q: 0.5, slider: 0.5, waiting: false });

  // A motion that is looked at since stays, and the sliders are at it.
  await move(0.6);
  await page.click('#tab-motion');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('n');
  await settled(page);
  const { source, q, slider, waiting } = await shown();
  assert.deepEqual([source, waiting], ['motion', false]);
  assert.ok(Math.abs(q - slider) < 1e-9, `pose at ${q}, slider at ${slider}`);

  // A slider that is moved stops a motion that plays, and stays where it was put.
  await page.click('#play');
  await wait(200);
  await move(0.7);
  await wait(200);
  assert.equal((await shown()).slider, 0.7);
  assert.equal(await page.$eval('#play', (e) => e.textContent), 'Play');
  await settled(page);
  assert.equal((await shown()).q, 0.7);
  await expectDistanceOfCommand(page, 'two_arms');
  assert.deepEqual(faults, []);
  await page.close();
  await server.stop();
});

test('a report opens from the disk, without errors and without asking anybody', async () => {
  const file = join(output, 'report.html');
  // What decides a report stands first: of a free motion and one in contact, the latter.
  const both = join(folder, 'both.html');
  assert.equal((await run('report', 'two_arms', '--path', 'task1', '--path', 'task2', '-o', both)).code, 1);
  const worst = await open(browser, `file://${both}`);
  assert.match(await worst.page.$eval('#motion-verdict', (e) => e.textContent), /contact/i);
  assert.match(await worst.page.$eval('#verdict', (e) => e.textContent), /contact/i);
  await worst.page.close();
  const { code } = await run('report', 'two_arms', '--path', 'task1', '-o', file);
  assert.equal(code, 0);
  for (const [name, options] of [
    ['report', {}],
    ['report_dark', { dark: true }],
    ['report_narrow', { width: 420, height: 800 }],
  ]) {
    const { page, faults } = await open(browser, `file://${file}`, options);
    expectSomething(await picture(page, name, '#scene'));
    await picture(page, `${name}_page`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name}: ${wide} pixels too wide`);
    assert.equal(await page.$eval('#motion-verdict', (e) => /free/i.test(e.textContent)), true);
    assert.deepEqual(faults, []);
    await page.close();
  }
});

test('names of links are text, whatever they look like', async () => {
  const name = `</script><img src=x onerror="window.hacked=1">`;
  const quoted = name.replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const sphere = (x) =>
    `<collision><origin xyz="${x} 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>`;
  const urdf = join(folder, 'odd.urdf');
  await writeFile(
    urdf,
    `<robot name="${quoted}"><link name="${quoted}">${sphere(0)}</link>
     <link name="b">${sphere(1)}</link><link name="c">${sphere(2)}</link>
     <joint name="${quoted}j" type="revolute"><parent link="${quoted}"/><child link="b"/>
     <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
     <joint name="k" type="revolute"><parent link="b"/><child link="c"/>
     <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>`,
  );
  const file = join(folder, 'odd.html');
  assert.equal((await run('report', urdf, '-o', file)).code, 0);
  const server = await serve(urdf, '--port', '0');
  for (const url of [`file://${file}`, server.url]) {
    const { page, faults } = await open(browser, url);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.ok((await page.evaluate(() => document.body.textContent)).includes('onerror='));
    assert.deepEqual(faults, []);
    await page.close();
  }
  await server.stop();
});

test('it says when the connection is lost, and finds back; viewers do not disturb each other', async () => {
  const first = await serve('six_axis_arm', '--port', '0');
  const port = new URL(first.url).port;
  const { page } = await open(browser, first.url);
  const other = await open(browser, first.url);
  const before = await shownDistance(other.page);
  await page.bringToFront();
  await page.focus('input[type=range][data-joint]');
  for (let i = 0; i < 20; ++i) await page.keyboard.press('ArrowRight');
  await settled(page);
  await expectDistanceOfCommand(page, 'six_axis_arm');
  assert.notEqual(await shownDistance(page), before);
  assert.equal(await shownDistance(other.page), before);
  await other.page.close();

  assert.equal(await first.stop(), 0);
  await page.waitForFunction(() => document.body.dataset.connection === 'lost');
  assert.match(await page.evaluate(() => document.body.innerText), /connection lost/i);
  await picture(page, 'lost');
  const second = await serve('six_axis_arm', '--port', port);
  await page.waitForFunction(() => document.body.dataset.connection === 'live');
  await second.stop();

  // Another world in its place answers other questions: nothing is asked of it.
  const third = await serve('bench_arm', '--port', port);
  await page.waitForFunction(() => /another world/i.test(document.body.innerText));
  assert.equal(await page.$eval('input[type=range][data-joint]', (e) => e.disabled), true);
  await page.close();
  await third.stop();
});

test('a running guard is followed: go, brake, silence', async () => {
  const live = join(folder, 'guard.live');
  const joints = JSON.parse((await run('info', 'two_arms', '--json')).stdout).joints.map((j) => j.name);
  // A robot that is given time, so that a busy machine is no reason to brake.
  const brake = join(folder, 'brake.json');
  const joint = { max_acceleration: 0.001, brake_deceleration: 1 };
  await writeFile(brake, JSON.stringify({ latency: 4, default: joint }));
  const guard = spawn(
    command,
    ['guard', 'two_arms', '--stdin', '--brake', brake, '--deadline', '2', '--live', live, '--quiet'],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  guard.stdin.write(`time,${joints.map((j) => `q.${j}`).join()},${joints.map((j) => `v.${j}`).join()}\n`);
  let time = 0;
  const send = async (speed, count) => {
    for (let i = 0; i < count; ++i) {
      const row = [time.toFixed(3), ...joints.map(() => 0), ...joints.map(() => speed)];
      guard.stdin.write(`${row.join()}\n`);
      time += 0.002;
      await wait(2);
    }
  };
  await send(0, 5);
  const server = await serve('two_arms', '--attach', live, '--port', '0');
  const { page, faults } = await open(browser, server.url);
  const lamp = (word) =>
    page.waitForFunction((w) => document.querySelector('#lamp')?.dataset.lamp === w, { timeout: 10000 }, word);
  let sending = true;
  const feeding = (async () => {
    while (sending) await send(0, 50);
  })();
  await lamp('go');
  await picture(page, 'guard_go');
  sending = false;
  await feeding;
  await send(100, 3);
  await lamp('brake');
  await picture(page, 'guard_brake');
  await lamp('silent');
  guard.stdin.end();
  if (guard.exitCode === null) await once(guard, 'exit');
  assert.equal(existsSync(live), false);
  // No cycle comes any more: a page that is opened now lights no lamp for the last one, not even at
  // first.
  await lamp('silent');
  const late = await open(browser, server.url);
  const lamps = await late.page.evaluate(async () => {
    const seen = new Set();
    for (let i = 0; i < 20; ++i) {
      seen.add(document.querySelector('#lamp').dataset.lamp);
      await new Promise((done) => setTimeout(done, 50));
    }
    return [...seen];
  });
  assert.deepEqual(lamps, ['silent']);
  await late.page.close();
  assert.deepEqual(faults, []);
  await page.close();
  await server.stop();
});

test('a narrow window and the keyboard do', async () => {
  const server = await serve('humanoid', '--port', '0');
  for (const dark of [false, true]) {
    const { page, faults } = await open(browser, server.url, { width: 400, height: 760, dark });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    expectSomething(await picture(page, dark ? 'narrow_dark' : 'narrow', '#scene'));
    await page.keyboard.press('?');
    await page.waitForFunction(() => document.querySelector('dialog[open]'));
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog[open]'));
    // Every control can be reached, and none holds the focus.
    const reached = new Set();
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => document.activeElement.outerHTML.slice(0, 200)));
    }
    assert.ok(reached.size > 15, `only ${reached.size} controls are reached by Tab`);
    assert.deepEqual(faults, []);
    await page.close();
  }
  await server.stop();
});

test('large worlds are drawn, and how fast is written down', async () => {
  const worlds = [];
  const boxes = join(folder, 'boxes.json');
  const objects = [];
  for (let i = 0; i < 10000; ++i) {
    const turn = i * 2.39996, radius = 1.2 + 2.5 * Math.sqrt(i / 10000);
    objects.push({
      name: `box${i}`,
      shape: 'box',
      size: [0.05, 0.08, 0.03],
      pose: { xyz: [radius * Math.cos(turn), radius * Math.sin(turn), (i % 100) * 0.02] },
    });
  }
  await writeFile(boxes, JSON.stringify({ robots: [{ name: 'arm', builtin: 'bench_arm' }], objects }));
  worlds.push(['boxes_10000', boxes]);
  const justin = join(data, 'robots', 'rollin_justin', 'rollin_justin.urdf');
  if (existsSync(justin)) {
    worlds.push(['rollin_justin', justin, '--package-path', join(data, 'robots')]);
  } else {
    console.log('skipped: no data');
  }
  const rates = {};
  for (const [name, ...options] of worlds) {
    const server = await serve(...options, '--port', '0');
    const { page, faults } = await open(browser, server.url);
    expectSomething(await picture(page, name, '#scene'));
    rates[name] = await page.evaluate(() => {
      const { scene } = window.keepclear;
      return { seconds_per_frame: scene.measure(2), ...scene.stats() };
    });
    assert.ok(rates[name].triangles > 1000);
    assert.ok(rates[name].calls < 100, 'drawn one by one');
    assert.deepEqual(faults, []);
    await page.close();
    await server.stop();
  }
  await writeFile(join(output, 'frame_rates.json'), `${JSON.stringify(rates, null, 1)}\n`);
});
