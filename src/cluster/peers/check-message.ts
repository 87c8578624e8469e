/**
 * Whether something that another gateway sent is a message: its type and its required fields. Gateways trust each other
 * with what is in them; a message that is none comes from a version that should not have been let in.
 */
import type { Command, ExchangeEvent } from '#market/ports.ts';
import type { PeerMessage } from '../messages.ts';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const truth: Check = (value) => typeof value === 'boolean';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const record =
  (fields: Fields): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    for (const name in fields) if (!fields[name]?.((value as Record<string, unknown>)[name])) return false;
    return true;
  };
const oneOf =
  (kinds: Readonly<Record<string, Check>>): Check =>
  (value) =>
    record({ type: text })(value) &&
    Object.hasOwn(kinds, (value as { type: string }).type) &&
    kinds[(value as { type: string }).type]?.(value) === true;

const order = { model: text, order: text };
const market = { model: text, seq: number };

const held = record({ ...order, account: text, attempt: number, pod: text, bid: number, restedSeq: number });
const rest = record({ ...order, account: text, bid: number, attempt: number, house: truth });
/** Slots and capacity are no business of a peer's commands: a `resync` names what it holds, the owner's own pool what there is. */
const never: Check = () => false;
const commands: Readonly<Record<Command['type'], Check>> = {
  rest,
  withdraw: record({ ...order, expired: truth }),
  reprice: record({ ...order, bid: number }),
  release: record({ ...order, attempt: number, pod: text, reason: text }),
  park: record({ account: text }),
  unpark: record({ account: text }),
  hold: never,
  capacity: never,
};

const level = record({ ...market, level: number, levelSeq: number, degraded: truth, atMs: number });
const quote = record({ ...market, price: number });
const events: Readonly<Record<ExchangeEvent['type'], Check>> = {
  rested: record({ ...market, ...order, restedSeq: number }),
  admit: record({
    ...market,
    ...order,
    attempt: number,
    restedSeq: number,
    pod: text,
    level: number,
    levelSeq: number,
  }),
  moved: record({ ...market, ...order, bid: number, restedSeq: number }),
  repriced: record({ ...market, ...order, bid: number, restedSeq: number }),
  'not-resting': record({ ...market, ...order }),
  level,
  quote,
  locks: record({ ...market, minuteMs: number }),
};

const inEpoch = { model: text, epoch: number };
const messages: Readonly<Record<PeerMessage['type'], Check>> = {
  resync: record({ ...inEpoch, rests: list(rest), holds: list(held), parked: list(text), last: truth }),
  command: record({ ...inEpoch, command: oneOf(commands) }),
  'positions?': record({ id: number, model: text, orders: list(text) }),
  welcome: record({ ...inEpoch, level: orNull(level), quote: orNull(quote) }),
  event: record({ epoch: number, event: oneOf(events) }),
  positions: record({ id: number, places: list(orNull(number)) }),
  left: record(inEpoch),
  call: record({ id: number, name: text }),
  answer: record({ id: number }),
  refusal: record({ id: number, fault: record({}) }),
  adopted: record({ gateway: number }),
  leaving: record({}),
};

const isMessage = oneOf(messages);

/** The value as a message; null when it is none. */
export function checkedMessage(value: unknown): PeerMessage | null {
  return isMessage(value) ? (value as PeerMessage) : null;
}
