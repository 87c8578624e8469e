/** What an account was charged so far, as its owner sees it. */
import type { Client } from './client.ts';

/** A balance, and the number of settlements. */
export interface ChargedSoFar {
  readonly balanceNano: number;
  readonly settled: number;
}

/** Reads both from the usage of the client's account. */
export async function chargedSoFar(client: Client): Promise<ChargedSoFar> {
  const usage = (await client.call('listUsage', { query: { limit: 1 } })).body(200);
  return { balanceNano: Math.round((usage.balance_usd ?? 0) * 1e9), settled: usage.total_requests ?? 0 };
}
