/** Every unit of a market, and downloads: applied, repeated, refused, and beside others, on every database. */
import { startMs } from '#testing/order-fixtures.ts';
import {
  type Case,
  type CasesOfKind,
  describeUnits,
  type MakeCase,
  type MarketKind,
  type Unit,
} from '#testing/unit-suite.ts';

const stale = { outcome: { result: 'stale' } } as const;
const changed = { outcome: { result: 'changed' } } as const;

let markets = 0;
const newModel = () => `model-${++markets}`;

function level(model: string, levelSeq: number, change: { level?: number; atMs?: number } = {}): Unit {
  return { kind: 'level', model, levelSeq, level: 10 * levelSeq, atMs: startMs + levelSeq, ...change };
}

function quote(model: string, quoteSeq: number, change: { price?: number } = {}): Unit {
  const window = { atMs: startMs + quoteSeq, untilMs: startMs + quoteSeq + 1 };
  return { kind: 'quote', model, quoteSeq, price: 10 * quoteSeq, ...window, state: `{"seq":${quoteSeq}}`, ...change };
}

function locks(model: string, started: number): Unit {
  return { kind: 'locks', model, minuteMs: startMs, started, missed: 1, scarceStarted: started - 1, scarceMissed: 0 };
}

function blocks(model: string, boot: number, slots: readonly number[]): Unit {
  const block = { model, widthMs: 1000, fromMs: startMs, candles: new Uint8Array(slots) };
  return { kind: 'level-blocks', boot, untilMs: startMs + slots.length, blocks: [block] };
}

function runs(model: string, boot: number, counts: readonly number[]): Unit {
  return { kind: 'run-hours', boot, hours: [{ model, hourMs: startMs, counts: new Uint8Array(counts) }] };
}

let spans = 0;

function load(atMs: number, boot: number, queued: number): Unit {
  const counts = { looks: 6, queued, busySlots: 1, slots: 8, failed: 0, charged: 5n, firstTokens: Uint8Array.of(1) };
  return { kind: 'gateway-load', boot, spans: [{ widthMs: 60_000, atMs, ...counts, pods: { 'gpu-1': [6, 0, 0] } }] };
}

function download(accountId: string, usedBytes: number): Unit {
  return { kind: 'download', accountId, usedBytes, atMs: startMs + usedBytes };
}

/** An attempt of a new message. */
function onMessage(change: Partial<Extract<Unit, { kind: 'webhook-tried' }>>): MakeCase {
  return async ({ db: { knex } }) => {
    const of = { endpoint_id: 'e', event_id: 'evt', type: 'order.done', object_id: 'o', body: '{}' };
    await knex('webhook_messages').insert({ ...of, created_at_ms: startMs, next_at_ms: startMs });
    const row = await knex('webhook_messages').max({ seq: 'seq' }).first();
    const failed = { attempts: 1, atMs: startMs, status: 500, error: 'It answered with 500.', nextAtMs: startMs + 5 };
    return { unit: { kind: 'webhook-tried', seq: Number(row?.seq), ...failed, ...change }, result: changed };
  };
}

/** `unitOf` a model for which `before` was written. */
function on(
  before: (model: string) => readonly Unit[],
  unitOf: (model: string) => Unit,
  result: Case['result'] = changed,
): MakeCase {
  return async (bench) => {
    const model = newModel();
    await bench.write(...before(model));
    return { unit: unitOf(model), result };
  };
}

const none = () => [];

const cases: Readonly<Record<MarketKind, CasesOfKind>> = {
  level: {
    applied: {
      'it is the first of its market': on(none, (model) => level(model, 1)),
      'it is the next': on(
        (model) => [level(model, 1)],
        (model) => level(model, 2),
      ),
      'it is as high as a level can be': on(none, (model) => level(model, 1, { level: 10 ** 15 })),
    },
    refused: {
      'its number says something else': on(
        (model) => [level(model, 1)],
        (model) => level(model, 1, { level: 11 }),
        stale,
      ),
    },
  },
  quote: {
    applied: {
      'it is the first of its market': on(none, (model) => quote(model, 1)),
      'it is the next': on(
        (model) => [quote(model, 1)],
        (model) => quote(model, 2),
      ),
    },
    refused: {
      'its number says something else': on(
        (model) => [quote(model, 1)],
        (model) => quote(model, 1, { price: 11 }),
        stale,
      ),
    },
  },
  locks: {
    applied: {
      'it is the first of its minute': on(none, (model) => locks(model, 1)),
      'it says more of the same minute': on(
        (model) => [locks(model, 1)],
        (model) => locks(model, 2),
      ),
    },
    refused: {
      'it says the same': on(
        (model) => [locks(model, 1)],
        (model) => locks(model, 1),
      ),
    },
  },
  'level-blocks': {
    applied: {
      'it is the first': on(none, (model) => blocks(model, 1, [1, 2])),
      'it says more of the same time': on(
        (model) => [blocks(model, 1, [1, 2])],
        (model) => blocks(model, 1, [1, 2, 3]),
      ),
      'it is of another boot': on(
        (model) => [blocks(model, 1, [1, 2])],
        (model) => blocks(model, 2, [3]),
      ),
    },
    refused: {
      'it says the same': on(
        (model) => [blocks(model, 1, [1])],
        (model) => blocks(model, 1, [1]),
      ),
    },
  },
  'webhook-tried': {
    applied: {
      'it is delivered': onMessage({ status: 204, error: null, nextAtMs: null }),
      'it failed': onMessage({}),
      'it had no answer': onMessage({ status: null, error: 'The connection failed: ECONNREFUSED.' }),
    },
    refused: {
      'the message was tried less often than the attempt says': onMessage({ attempts: 2 }),
    },
  },

  'run-hours': {
    applied: {
      'it is the first': on(none, (model) => runs(model, 1, [1, 2])),
      'it has more of the same hour': on(
        (model) => [runs(model, 1, [1, 2])],
        (model) => runs(model, 1, [1, 2, 3]),
      ),
      'it is of another boot': on(
        (model) => [runs(model, 1, [1, 2])],
        (model) => runs(model, 2, [3]),
      ),
    },
    refused: {
      'it says the same': on(
        (model) => [runs(model, 1, [1])],
        (model) => runs(model, 1, [1]),
      ),
    },
  },
  'gateway-load': {
    applied: {
      'it is the first': async () => ({ unit: load(++spans, 1, 1), result: changed }),
      'it has more of the same minute': async (bench) => {
        const atMs = ++spans;
        await bench.write(load(atMs, 1, 1));
        return { unit: load(atMs, 1, 2), result: changed };
      },
      'it is of another boot': async (bench) => {
        const atMs = ++spans;
        await bench.write(load(atMs, 1, 1));
        return { unit: load(atMs, 2, 1), result: changed };
      },
    },
    refused: {
      'it says the same': async (bench) => {
        const unit = load(++spans, 1, 1);
        await bench.write(unit);
        return { unit, result: changed };
      },
    },
  },
  download: {
    applied: {
      'it is the first of its account': async (bench) => ({
        unit: download(await bench.account(), 1),
        result: changed,
      }),
      'it is beyond four billion bytes': async (bench) => {
        const accountId = await bench.account();
        await bench.write(download(accountId, 1));
        return { unit: download(accountId, 2 ** 40), result: changed };
      },
    },
    refused: {
      'it says the same': async (bench) => {
        const unit = download(await bench.account(), 1);
        await bench.write(unit);
        return { unit, result: changed };
      },
    },
  },
};

describeUnits('units of markets', cases);
