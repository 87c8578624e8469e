/** Reads level and quote of a market once a second, as a dashboard does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import { MODEL } from './live-order.ts';

/** What was published at one moment, USD. */
export interface PriceSample {
  readonly atMs: number;
  readonly level: number;
  readonly quote: number;
}

const EVERY_MS = 1000;

/** Reads until a moment of this machine's clock. */
export async function readPrices(caller: Caller, untilMs: number): Promise<readonly PriceSample[]> {
  const samples: PriceSample[] = [];
  for (let dueMs = Date.now(); dueMs < untilMs; dueMs += EVERY_MS) {
    await sleep(Math.max(0, dueMs - Date.now()));
    const [level, quote] = await Promise.all([
      caller.call(`/v1/market?model=${MODEL}`),
      caller.call(`/v1/market/price-lock?model=${MODEL}`),
    ]);
    if (level && quote) samples.push({ atMs: Date.now(), level: level.body.level, quote: quote.body.price });
  }
  return samples;
}
