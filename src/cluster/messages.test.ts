/** The schema of messages between gateways, held against their types: each has an example, which the types check, too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPeerMessage } from '#generated/schemas/peer-message.js';
import type { Command, ExchangeEvent, Rest } from '#market/ports.ts';
import type { FromOwner, PeerMessage } from './messages.ts';

type ByType<Message extends { readonly type: string }> = {
  readonly [Type in Message['type']]: Message & { type: Type };
};

const order = { model: 'tide', order: 'o1' };
const rest: Rest = {
  ...{ type: 'rest', ...order, account: 'a1', bid: 5, attempt: 1, house: false },
  ...{ lockLimit: null, restedSeq: null, avoidPod: null },
};
const held = { ...order, account: 'a1', attempt: 1, pod: 'p1', bid: 5, restedSeq: 3, house: false } as const;
const level = { type: 'level', model: 'tide', seq: 1, level: 5, levelSeq: 2, degraded: false, atMs: 9 } as const;

type Published = Extract<FromOwner, { readonly type: 'event' }>['event'];
const quote = { type: 'quote', model: 'tide', seq: 1, price: 5, state: null } as unknown as Extract<
  Published,
  { readonly type: 'quote' }
>;

const commands: ByType<Exclude<Command, { readonly type: 'hold' | 'capacity' }>> = {
  rest,
  withdraw: { type: 'withdraw', ...order, expired: true },
  reprice: { type: 'reprice', ...order, bid: 6 },
  release: { type: 'release', ...order, attempt: 1, pod: 'p1', reason: 'finished' },
};

const counts = { started: 1, missed: 0, scarceStarted: 0, scarceMissed: 0 };
const events: { readonly [Type in ExchangeEvent['type']]: Published & { type: Type } } = {
  rested: { type: 'rested', ...order, seq: 1, restedSeq: 3 },
  admit: { type: 'admit', ...order, seq: 1, attempt: 1, restedSeq: 3, pod: 'p1', level: 5, levelSeq: 2 },
  moved: { type: 'moved', ...order, seq: 1, bid: 6, restedSeq: 3 },
  repriced: { type: 'repriced', ...order, seq: 1, bid: 6, restedSeq: 3 },
  'not-resting': { type: 'not-resting', ...order, seq: 1 },
  level,
  quote,
  locks: { type: 'locks', model: 'tide', seq: 1, minuteMs: 60_000, ...counts },
};

const inEpoch = { model: 'tide', epoch: 4 };
const messages: ByType<PeerMessage> = {
  resync: { type: 'resync', ...inEpoch, rests: [rest], holds: [held], last: true },
  command: { type: 'command', ...inEpoch, command: commands.reprice },
  'positions?': { type: 'positions?', id: 1, model: 'tide', orders: ['o1'] },
  welcome: { type: 'welcome', ...inEpoch, kind: 'market', level, quote },
  event: { type: 'event', epoch: 4, event: events.rested },
  positions: { type: 'positions', id: 1, places: [1, null] },
  left: { type: 'left', ...inEpoch },
  call: { type: 'call', id: 1, name: 'cancel', params: [1] },
  answer: { type: 'answer', id: 1, value: null },
  refusal: { type: 'refusal', id: 1, fault: {} },
  adopted: { type: 'adopted', gateway: 2 },
  sells: { type: 'sells', model: 'tide' },
  leaving: { type: 'leaving' },
};

const every: readonly PeerMessage[] = [
  ...Object.values(messages),
  ...Object.values(commands).map((command): PeerMessage => ({ ...messages.command, command })),
  ...Object.values(events).map((event): PeerMessage => ({ ...messages.event, event })),
  { ...messages.welcome, level: null, quote: null },
];

/** What the schema leaves to the types, because gateways trust each other with it. */
const UNCHECKED = [
  'command.avoidPod of command',
  'command.lockLimit of command',
  'command.restedSeq of command',
  'event.missed of event',
  'event.scarceMissed of event',
  'event.scarceStarted of event',
  'event.started of event',
  'event.state of event',
  'holds.house of resync',
  'level.type of welcome',
  'params of call',
  'quote.state of welcome',
  'quote.type of welcome',
  'rests.avoidPod of resync',
  'rests.lockLimit of resync',
  'rests.restedSeq of resync',
  'rests.type of resync',
  'value of answer',
];

test('every message is taken as it is, also with fields that a later version adds', () => {
  for (const message of every) {
    assert.ok(isPeerMessage(message), message.type);
    assert.ok(isPeerMessage({ ...message, later: 1 }), message.type);
  }
});

test('a message without a field, or with a list in its place, is none', () => {
  const unchecked = new Set<string>();
  for (const message of every)
    for (const path of pathsOf(message)) {
      const name = `${path.filter((step) => !/^\d+$/.test(step)).join('.')} of ${message.type}`;
      if (isPeerMessage(withAt(message, path, undefined))) unchecked.add(name);
      else assert.equal(isPeerMessage(withAt(message, path, [[]])), false, name);
    }
  assert.deepEqual([...unchecked].sort(), UNCHECKED);
});

test('what no gateway sends is none', () => {
  for (const value of [null, undefined, 3, 'leaving', [], {}, { type: 'hello' }, { type: 'toString' }, { type: 1 }])
    assert.equal(isPeerMessage(value), false, JSON.stringify(value));
  const hold = { ...held, type: 'hold' };
  const capacity = { type: 'capacity', model: 'tide', pod: 'p1', slots: 1, healthy: true };
  for (const command of [hold, capacity, { type: 'none' }, null])
    assert.equal(isPeerMessage({ ...messages.command, command }), false, JSON.stringify(command));
});

/** The way to each value inside, entries of lists included. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])]);
}

/** A copy in which the value at `path` is another, or for undefined absent. */
function withAt(message: object, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(message) as Record<string, unknown>;
  const parent = path.slice(0, -1).reduce((at, step) => at[step] as Record<string, unknown>, copy);
  parent[path.at(-1) ?? ''] = value;
  return copy;
}
