/**
 * What an order of a simulated trader looks like over HTTP. A request waits whole seconds, ten at least, and the pod
 * that serves it generates whole tokens, so the simulation that is compared gets its orders rounded in the same way.
 */

import { HOUR_MS } from '#base/time.ts';
import type { TraderOrder } from '#simulations/floor.ts';

/** The model that a live market sells. */
export const MODEL = 'tide';
/** How long a simulated pod takes for a token, on average; as long as the single tokens of simulated attackers. */
export const TOKEN_MS = 20;
/** Only output costs something, and at the reference mix a token of it weighs as much as fifty of input. */
export const PRICING_RATIO = { cached: 0, uncached: 0, output: 1 } as const;
/** What a slot that is held for an hour is charged at a price of one dollar. A simulated one is charged one dollar. */
export const USD_PER_SLOT_HOUR = (HOUR_MS / TOKEN_MS) * (50 / 1e6);
const WAIT_MS_MIN = 10_000;
const NANO = 1e9;

/** The order as it can be sent: whole tokens, and a patience of whole seconds. */
export function rounded(wish: TraderOrder): TraderOrder {
  return {
    ...wish,
    runsMs: TOKEN_MS * tokensOf(wish),
    patienceMs: Math.max(WAIT_MS_MIN, 1000 * Math.ceil(wish.patienceMs / 1000)),
  };
}

/** The body of a chat completion. `name` makes bodies differ: a simulated pod takes equally long for equal ones. */
export function bodyOf(wish: TraderOrder, name: string, detached: boolean): object {
  const tokens = tokensOf(wish);
  return {
    model: MODEL,
    messages: [{ role: 'user', content: `Order ${name}` }],
    max_tokens: tokens,
    price_limit: wish.limit / NANO,
    price_lock: wish.lock,
    max_wait: rounded(wish).patienceMs / 1000,
    detached,
    x_simulate: { first_token_ms: 0, output_tokens: tokens, token_ms: TOKEN_MS },
  };
}

function tokensOf({ runsMs }: TraderOrder): number {
  return Math.max(1, Math.round(runsMs / TOKEN_MS));
}
