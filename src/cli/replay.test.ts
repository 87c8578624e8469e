/** A complete gateway trades over HTTP and writes its record; the command line replays it. */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ExchangeEvent } from '#market/ports.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';

const ORDERS = 24;
/** Orders at the same time: three per slot. */
const WAVE = 6;

function configuration(folder: string): string {
  const listing = { owned_by: 'us', context_length: 4096, max_output_length: 1024, floor: 0.01, ceiling: 100 };
  const market = { ...listing, type: 'market', pricing_ratio: { cached: 0.1, uncached: 1, output: 4 } };
  return JSON.stringify({
    default_model: 'tide',
    models: [
      { ...market, id: 'tide', display_name: 'Tide', pods: [{ id: 'sim', simulated: true, slots: 2, seed: 1 }] },
      { ...market, id: 'surge', display_name: 'Surge', preview: true },
    ],
    market: { quote: { interval_ms: 1000 }, recording: folder },
    probes: { enabled: false },
  });
}

interface Receipt {
  readonly order: string;
  readonly bid: number;
  readonly level: number;
}

describe('a recorded gateway', () => {
  let site: Site;
  let file = '';
  const receipts: Receipt[] = [];

  before(async () => {
    site = await makeSite('');
    const folder = join(site.folder, 'recording');
    writeFileSync(join(site.folder, 'sluice.yaml'), configuration(folder));
    const gateway = await site.start();
    const { json: account } = await site.command('account', 'create', 'trader', '--credit', '100');
    const { json: key } = await site.command('key', 'create', String(account.account_id));
    for (let first = 0; first < ORDERS; first += WAVE) {
      const wave = Array.from({ length: WAVE }, (_, more) => trade(gateway.url, String(key.api_key), first + more));
      await Promise.all(wave);
    }
    assert.equal(await gateway.stop(), 0);
    const [name = '', ...more] = readdirSync(folder);
    assert.deepEqual(more, []);
    file = join(folder, name);
  });
  after(() => site?.remove());

  /** Bids vary widely, and one order in three is a lock. */
  async function trade(url: string, key: string, order: number): Promise<void> {
    const bid = 0.5 + ((order * 7) % 10);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'hello' }],
        price_limit: bid,
        price_lock: order % 3 === 0,
        max_tokens: 8,
        x_simulate: { output_tokens: 8, token_ms: 20 },
      }),
    });
    const body = (await response.json()) as { usage: { x_market: { bid: number; level_at_execution: number } } };
    if (response.status !== 200) return;
    const { x_market: receipt } = body.usage;
    const orderId = response.headers.get('x-service-order-id') ?? '';
    receipts.push({ order: orderId, bid: receipt.bid, level: receipt.level_at_execution });
  }

  test('levels, quotes and dispatches are as recorded', async () => {
    const { exitCode, json } = await site.command('replay', file);
    assert.deepEqual([exitCode, json.ok, json.difference, json.broken_line], [0, true, null, null]);
    assert.equal(json.hash, /"hash":"([\w-]{43})"\}\n$/.exec(readFileSync(file, 'utf8'))?.[1]);
    assert.ok(Number(json.dispatches) >= receipts.length && receipts.length >= ORDERS / 2, JSON.stringify(json));
    assert.ok(Number(json.quotes) >= 2 && Number(json.levels) >= 3, JSON.stringify(json));
  });

  test('callers got what was recorded: level at dispatch and bid', () => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const admits = new Map<string, number>();
    const bids = new Map<string, number>();
    for (const line of lines) {
      const { event, command } = JSON.parse(line) as {
        event?: ExchangeEvent;
        command?: { type: string; order: string; bid: number };
      };
      if (event?.type === 'admit') admits.set(event.order, event.level / 1e9);
      if (command?.type === 'rest') bids.set(command.order, command.bid / 1e9);
    }
    for (const { order, bid, level } of receipts) {
      assert.deepEqual([bids.get(order), Math.min(admits.get(order) ?? Number.NaN, bid)], [bid, Math.min(level, bid)]);
    }
  });

  test('a changed line is named, a cut-off one is mentioned', async () => {
    const whole = readFileSync(file, 'utf8');
    const changed = join(site.folder, 'changed.jsonl');
    const at = whole.lastIndexOf('"account":"') + 15;
    writeFileSync(changed, `${whole.slice(0, at)}${whole[at] === 'x' ? 'y' : 'x'}${whole.slice(at + 1)}`);
    const { exitCode, json } = await site.command('replay', changed);
    const line = whole.slice(0, at).split('\n').length;
    assert.deepEqual([exitCode, json.ok, json.broken_line], [1, false, line]);
    const cut = join(site.folder, 'cut.jsonl');
    writeFileSync(cut, whole.slice(0, -40));
    const shorter = (await site.command('replay', cut)).json;
    assert.deepEqual([shorter.ok, shorter.cut_off, shorter.lines], [true, true, whole.split('\n').length - 2]);
    appendFileSync(cut, '\n{}\n');
    assert.equal((await site.command('replay', cut)).exitCode, 1);
  });

  test('the record of the next run names the last hash of this one', async () => {
    const { json } = await site.command('replay', file);
    const gateway = await site.start();
    assert.equal(await gateway.stop(), 0);
    const next = readdirSync(join(file, '..')).sort().at(-1) ?? '';
    const { json: after } = await site.command('replay', join(file, '..', next));
    assert.deepEqual([after.ok, after.after], [true, json.hash]);
  });
});
