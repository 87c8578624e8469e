/** A pod whose slots follow the metrics of its engine, over real HTTP, with a clock that the test moves. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createLog } from '#base/log.ts';
import type { Capacity } from '#market/ports.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { podConfig } from '#testing/pods.ts';
import { PodPool } from './pool.ts';
import { READ_MS } from './slot-control.ts';

const page = (running: number, waiting = 0) =>
  `vllm:num_requests_running{engine="0"} ${running}\nvllm:num_requests_waiting{engine="0"} ${waiting}\n`;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const says =
  (text: string, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status).end(text);

describe('slots that follow the engine', () => {
  let answer: Answer = says(page(0));
  let asked: string[] = [];
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) response.end('{}');
    else {
      asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
      answer(response, request);
    }
  });
  let origin = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    asked = [];
    answer = says(page(0));
  });

  class Bench {
    readonly clock = new ManualClock();
    readonly reported: Capacity[] = [];
    readonly lines: { level: number; msg: string; fault?: string }[] = [];
    readonly pool: PodPool;

    constructor(own: Parameters<typeof podConfig>[0] = {}) {
      const write = (line: string) => this.lines.push(JSON.parse(line));
      const options = { clock: this.clock, random: { next: () => 0 }, log: createLog('info', { write }) };
      const config = podConfig({ url: `${origin}/v1`, slots: 16, slotsMin: 4, ...own });
      this.pool = new PodPool([config], { ...options, onCapacity: (capacity) => this.reported.push(capacity) });
      this.pool.start();
    }

    get slots() {
      return this.pool.states()[0]?.slots;
    }

    async until(holds: () => boolean): Promise<void> {
      while (!holds()) await this.#turn();
    }

    async #turn(): Promise<void> {
      await this.clock.advance(READ_MS / 100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('begins with the fewest, climbs while they are full, and reports each change to the market', async (t) => {
    const bench = new Bench({ apiKey: 'key' });
    t.after(() => bench.pool.close());
    assert.deepEqual(bench.slots, {
      ...{ configured: 4, allowed: 4, busy: 0 },
      auto: { min: 4, max: 16, blind: false },
    });
    answer = says(page(16));
    await bench.until(() => bench.slots?.allowed === 16);
    assert.deepEqual([...new Set(asked)], ['/metrics Bearer key']);
    const told = bench.reported.map(({ slots }) => slots);
    assert.deepEqual([...new Set(told)], [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    answer = says(page(10, 6));
    await bench.until(() => bench.slots?.allowed !== 16);
    assert.equal(bench.slots?.allowed, 12);
    assert.deepEqual(
      bench.lines.filter(({ msg }) => msg.includes('slots')),
      [],
      'changes are not logged one by one',
    );
  });

  test('what the operator sets lies over it, and the file changes its bounds or ends it', async (t) => {
    const bench = new Bench();
    t.after(() => bench.pool.close());
    answer = says(page(100));
    bench.pool.set('pod-1', { draining: false, slots: 40 });
    assert.equal(bench.slots?.allowed, 40);
    bench.pool.set('pod-1', { draining: false, slots: null });
    const config = (own: object) => podConfig({ url: `${origin}/v1`, slots: 16, slotsMin: 4, ...own });
    bench.pool.renew([config({ slots: 6, slotsMin: 5 })]);
    await bench.until(() => bench.slots?.allowed === 6);
    bench.pool.renew([config({ slots: 9, slotsMin: null })]);
    assert.deepEqual(bench.slots, { configured: 9, allowed: 9, busy: 0, auto: null });
    bench.pool.renew([config({ slots: 3, slotsMin: 2 })]);
    assert.equal(bench.slots?.allowed, 2);
    await bench.until(() => bench.slots?.allowed === 3);
  });

  test('a pod at an address with a path has its metrics beside /v1', async (t) => {
    const bench = new Bench({ url: `${origin}/engines/one/v1` });
    t.after(() => bench.pool.close());
    await bench.until(() => asked.length > 0);
    assert.equal(asked[0], '/engines/one/metrics');
  });

  const endless: Answer = (response) => {
    response.writeHead(200);
    const more = () => void (response.writable && response.write('#'.repeat(1024 * 1024), more));
    more();
  };
  const HOSTILE: Readonly<Record<string, readonly [Answer, RegExp]>> = {
    'there are none': [says('no', 404), /are not there: it answers 404/],
    'they need a key': [says('no', 401), /it answers 401/],
    'they send elsewhere': [
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      /it answers 302/,
    ],
    'they never come': [() => {}, /take longer than 2 s/],
    'they never end': [(response) => response.writeHead(200).write(page(4)), /take longer than 2 s/],
    'they are endless': [endless, /are longer than 4 MiB/],
    'the connection breaks': [(response) => response.socket?.resetAndDestroy(), /the connection failed/],
    'they are of something else': [says('up 1\n'), /are not those of an engine known here/],
    'they are no numbers': [says(page(Number.NaN)), /are not those of an engine known here/],
    'they are bytes': [says(`${String.fromCharCode(0, 255, 0xd800)}\n`), /are not those of an engine known here/],
  };
  for (const [what, [hostile, fault]] of Object.entries(HOSTILE)) {
    test(`the fewest are offered when ${what}, one line says so, and they are followed again`, async (t) => {
      const bench = new Bench();
      t.after(() => bench.pool.close());
      answer = says(page(16));
      await bench.until(() => bench.slots?.allowed === 8);
      answer = hostile;
      await bench.until(() => bench.slots?.auto?.blind === true);
      assert.deepEqual([bench.slots?.allowed, bench.pool.counts()[0]?.healthy], [4, true]);
      const seen = asked.length;
      await bench.until(() => asked.length > seen + 2);
      const said = bench.lines.filter(({ fault: why }) => why !== undefined);
      assert.equal(said.length, 1);
      assert.match(said[0]?.msg ?? '', fault);
      answer = says(page(16));
      await bench.until(() => (bench.slots?.allowed ?? 0) > 4);
      assert.equal(bench.lines.filter(({ msg }) => msg.includes('follow its metrics again')).length, 1);
    });
  }

  test('a pod that closes asks no more', async () => {
    const bench = new Bench();
    await bench.until(() => asked.length > 1);
    await bench.pool.close();
    const { length } = asked;
    await bench.clock.advance(10 * READ_MS);
    assert.deepEqual([asked.length, bench.clock.pending], [length, 0]);
  });
});
