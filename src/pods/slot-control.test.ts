/** The rule by which slots follow an engine, against engines that are simulated here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { EngineSlots } from './engine-slots.ts';
import { READ_MS, SlotControl } from './slot-control.ts';

const READS_AN_HOUR = 1800;
const IDLE = { running: 0, waiting: 0, cache: 0 };

/** An engine that runs so many at once, each for so many readings, and a gateway that always fills the slots it has. */
function live(control: SlotControl, runs: (read: number) => number, length: number, reads = READS_AN_HOUR): number[] {
  const random = seededRandom(1);
  const slots: number[] = [];
  let held: number[] = [];
  for (let read = 0; read < reads; read++) {
    const running = Math.min(runs(read), held.length);
    held = held.map((left, index) => (index < running ? left - 1 : left)).filter((left) => left > 0);
    while (held.length < control.slots) held.push(1 + Math.floor(random.next() * 2 * length));
    const now = Math.min(runs(read), held.length);
    control.take({ running: now, waiting: held.length - now, cache: now / runs(read) / 2 });
    slots.push(control.slots);
  }
  return slots;
}

const turns = (slots: readonly number[]) =>
  slots.filter((count, index) => index > 1 && count < (slots[index - 1] ?? 0)).length;

test('it climbs to what the engine can do in about two minutes, and then rests at most a fifth below', () => {
  for (const most of [5, 24, 100, 200]) {
    for (const length of [1, 10, 60]) {
      const slots = live(new SlotControl({ min: 4, max: 256 }), () => most, length);
      const settled = slots.slice(300);
      const mean = settled.reduce((sum, count) => sum + count, 0) / settled.length;
      assert.ok(Math.max(...settled) <= most + 12, `${most} ${length}: ${Math.max(...settled)}`);
      assert.ok(mean >= 0.7 * most, `${most} ${length}: ${mean}`);
      assert.ok(turns(settled) <= 14, `${most} ${length}: it fell ${turns(settled)} times in an hour`);
    }
  }
});

test('an engine that holds all slots has them all, and keeps them', () => {
  const slots = live(new SlotControl({ min: 8, max: 64 }), () => 64, 10);
  assert.ok(slots.includes(64) && slots.indexOf(64) < 150);
  assert.deepEqual([...new Set(slots.slice(150))], [64]);
});

test('it follows an engine that can do less, and later more again', () => {
  const slots = live(new SlotControl({ min: 4, max: 64 }), (read) => (read > 600 && read < 1200 ? 16 : 48), 5);
  assert.ok((slots[590] ?? 0) >= 38);
  assert.ok((slots[900] ?? 99) <= 18);
  assert.ok((slots[1799] ?? 0) >= 38, `${slots[1799]}`);
});

test('short pressure every few minutes takes slots for a while, and it comes back each time', async () => {
  for (const everyMs of [MINUTE_MS, 4 * MINUTE_MS, 7 * MINUTE_MS]) {
    const clock = new ManualClock();
    const startMs = clock.nowMs();
    const bounds = { min: 4, max: 64 };
    // Its slots are always full; now and then others who use it let three wait, in two readings.
    const read = async () => {
      const waiting =
        (clock.nowMs() - startMs) % everyMs < 2 * READ_MS && clock.nowMs() > startMs + 5 * MINUTE_MS ? 3 : 0;
      return { text: `vllm:num_requests_running ${slots.control.slots}\nvllm:num_requests_waiting ${waiting}\n` };
    };
    const pod = { model: 'tide', id: 'tide-1' };
    const slots: EngineSlots = new EngineSlots({ bounds, clock, log: silentLog, pod, read, onChange() {} });
    slots.start();
    const offered: number[] = [];
    for (let atMs = 0; atMs < 6 * HOUR_MS; atMs += READ_MS) {
      await clock.advance(READ_MS);
      offered.push(slots.control.slots);
    }
    slots.close();
    const hour = HOUR_MS / READ_MS;
    for (let from = hour; from < offered.length; from += hour) {
      const hours = offered.slice(from, from + hour);
      const mean = hours.reduce((sum, count) => sum + count, 0) / hours.length;
      assert.equal(Math.max(...hours), 64, `every ${everyMs} ms, hour ${from / hour}`);
      assert.ok(mean >= 0.75 * 64, `every ${everyMs} ms, hour ${from / hour}: ${mean}`);
    }
  }
});

test('it does not climb while slots are idle, nor above four fifths of the cache, and falls above nine tenths', () => {
  const control = new SlotControl({ min: 4, max: 64 });
  for (let read = 0; read < 100; read++) control.take(IDLE);
  assert.equal(control.slots, 4);
  for (let read = 0; read < 16; read++) control.take({ running: control.slots, waiting: 0, cache: 0.5 });
  assert.equal(control.slots, 20);
  for (let read = 0; read < 50; read++) control.take({ running: 20, waiting: 0, cache: 0.85 });
  assert.equal(control.slots, 20);
  for (let read = 0; read < 2; read++) control.take({ running: 20, waiting: 0, cache: 0.95 });
  assert.equal(control.slots, 16);
});

test('a request that waits in one reading is no pressure, and without a cache that is all it goes by', () => {
  const control = new SlotControl({ min: 4, max: 64 });
  for (let read = 0; read < 200; read++) control.take({ running: 64, waiting: read % 2, cache: null });
  assert.equal(control.slots, 64);
  for (let read = 0; read < 2; read++) control.take({ running: 64, waiting: 1, cache: null });
  assert.equal(control.slots, 51);
});

test('three missed readings leave the fewest, and it climbs from there', () => {
  const control = new SlotControl({ min: 4, max: 16 });
  for (let read = 0; read < 20; read++) control.take({ running: control.slots, waiting: 0, cache: 0 });
  control.miss();
  control.miss();
  assert.deepEqual([control.slots, control.blind], [16, false]);
  control.miss();
  assert.deepEqual([control.slots, control.blind], [4, true]);
  control.take({ running: 4, waiting: 0, cache: 0 });
  assert.deepEqual([control.slots, control.blind], [5, false]);
});

test('other bounds count at once', () => {
  const control = new SlotControl({ min: 4, max: 16 });
  control.bounds = { min: 6, max: 8 };
  assert.equal(control.slots, 6);
  for (let read = 0; read < 20; read++) control.take({ running: control.slots, waiting: 0, cache: 0 });
  control.bounds = { min: 1, max: 2 };
  assert.equal(control.slots, 2);
});

test('whatever an engine says, the slots stay within their bounds, whole', () => {
  const random = seededRandom(2);
  for (let engine = 0; engine < 50; engine++) {
    const min = 1 + Math.floor(random.next() * 20);
    const control = new SlotControl({ min, max: min + Math.floor(random.next() * 100) });
    for (let read = 0; read < 500; read++) {
      const number = () => Math.floor(10 ** (random.next() * 6)) - 1;
      if (random.next() < 0.1) control.miss();
      else control.take({ running: number(), waiting: random.next() < 0.5 ? 0 : number(), cache: random.next() });
      const { min: least, max } = control.bounds;
      assert.ok(Number.isInteger(control.slots) && control.slots >= least && control.slots <= max);
    }
  }
});
