/** What an order may cost and how long it may wait, in the words of these packages and on the wire. Copied into each of them. */
import { type Money, nanoOf } from '@sluice/client';

/** The terms of one request, or the defaults of all requests of a client. What is absent is the default of the key or the account. */
export interface Bid {
  /** The most that it pays, in USD per 1M input tokens at the reference mix. */
  priceLimit?: Money | number | undefined;
  /** The most that it is charged, in USD. */
  maxCharge?: Money | number | undefined;
  /** When it must have started, in seconds from now or as a time. Until then the market chooses the bid, up to the limit. */
  deadline?: number | string | Date | undefined;
  /** Seconds that it may wait for its start; not beside `deadline`. */
  maxWait?: number | undefined;
  /** Bids the lower of quote and limit, and starts within ten seconds or not at all; not beside `deadline`. */
  priceLock?: boolean | undefined;
  /** Days that its result is stored. */
  retentionDays?: number | undefined;
}

const NAMES: Readonly<Record<keyof Bid, string>> = {
  priceLimit: 'price_limit',
  maxCharge: 'max_charge_usd',
  deadline: 'deadline',
  maxWait: 'max_wait',
  priceLock: 'price_lock',
  retentionDays: 'retention_days',
};

/** Fields that say when to start: a request that has one gets none of the defaults. */
const STARTS = ['deadline', 'max_wait', 'expires_after', 'price_lock'];

/** Whether a request places an order. */
export function placesOrder(method: string | undefined, path: string): boolean {
  return method?.toLowerCase() === 'post' && /\/(chat\/completions|completions|responses|messages)(\?|$)/.test(path);
}

/** The body to send: the bid under the names of the wire, completed by the defaults. Throws RangeError for an amount that is none. */
export function bodyWith(body: unknown, defaults: Bid): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const others = Object.entries(body).filter(([name]) => !Object.hasOwn(NAMES, name));
  const said: Record<string, unknown> = { ...Object.fromEntries(others), ...fieldsOf(body) };
  const saysStart = STARTS.some((name) => said[name] !== undefined && said[name] !== null);
  const completed = Object.entries(fieldsOf(defaults)).filter(([name]) => !(saysStart && STARTS.includes(name)));
  return { ...Object.fromEntries(completed), ...said };
}

/** The fields of the wire for a bid. */
export function fieldsOf(bid: Bid): Record<string, unknown> {
  const amounts = { ...bid, priceLimit: amountOf(bid.priceLimit), maxCharge: amountOf(bid.maxCharge) };
  const fields = Object.entries(NAMES).map(([name, field]) => [field, amounts[name as keyof Bid]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** An amount as a number of JSON. Throws for what is no amount or loses digits: null would be no limit. */
function amountOf(amount: Money | number | null | undefined): number | undefined {
  if (amount === undefined || amount === null) return undefined;
  if (nanoOf(amount) !== nanoOf(Number(amount))) throw new RangeError(`${amount} has more than 15 digits.`);
  return Number(amount);
}
