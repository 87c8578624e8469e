/** The accounts of a hostile soak, each for one kind of load, so that what is wrong with one tells what was done. */
import type { Site } from '#testing/gateway-process.ts';
import type { Caller } from './client.ts';

/** An account that the run opened. */
export interface SoakAccount extends Caller {
  readonly id: string;
  /** Changes when the operator gives out a new key. */
  apiKey: string;
  keyId: string;
  /** All that the operator credited, in nano-dollars. */
  creditedNano: number;
}

export type AccountName = 'kept' | 'unkept' | 'keyed' | 'detached' | 'batches' | 'tiny' | 'rotating' | 'suspended';

const RICH_USD = '10000';
/** Pays for some dozens of orders. */
export const TINY_USD = '0.0003';
const NANO = 1e9;

const OPTIONS: Readonly<Record<AccountName, readonly string[]>> = {
  kept: ['--log-payloads'],
  unkept: ['--retention-days', '0'],
  keyed: [],
  detached: [],
  batches: [],
  tiny: ['--force'],
  rotating: [],
  suspended: [],
};

/** Opens all of them, with a key each. */
export async function openAccounts({ command }: Site): Promise<Readonly<Record<AccountName, SoakAccount>>> {
  await command('migrate');
  const accounts: Partial<Record<AccountName, SoakAccount>> = {};
  for (const [name, options] of Object.entries(OPTIONS)) {
    const usd = name === 'tiny' ? TINY_USD : RICH_USD;
    const { json } = await command('account', 'create', name, '--credit', usd, ...options);
    const id = String(json.account_id);
    const key = await command('key', 'create', id);
    accounts[name as AccountName] = {
      ...{ account: name, id, apiKey: String(key.json.api_key), keyId: String(key.json.key_id) },
      creditedNano: Math.round(Number(usd) * NANO),
    };
  }
  return accounts as Record<AccountName, SoakAccount>;
}
