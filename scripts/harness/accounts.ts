/** The accounts of a run, each for one kind of load, so that a finding about an account says what its clients did. */
import type { Site } from '#testing/gateway-process.ts';
import type { Caller } from './client.ts';

/** An account that the run opened. */
export interface RunAccount extends Caller {
  readonly id: string;
  /** Changes when the operator gives out a new key. */
  apiKey: string;
  keyId: string;
  /** All that the operator credited, in nano-dollars. */
  creditedNano: number;
}

/** The accounts by their names. */
export type RunAccounts<Name extends string> = Readonly<Record<Name, RunAccount>>;

/** The largest credit that needs no confirmation. */
const RICH_USD = '10000';
const NANO = 1e9;

/** Opens an account of each name, with a key. `usd` is its credit, `options` are more options of `account create`. */
export async function openAccounts<Name extends string>(
  { openAccount }: Pick<Site, 'openAccount'>,
  wishes: Readonly<Record<Name, { readonly usd?: string; readonly options?: readonly string[] }>>,
): Promise<RunAccounts<Name>> {
  const accounts = {} as Record<Name, RunAccount>;
  for (const account of Object.keys(wishes) as Name[]) {
    const { usd = RICH_USD, options = [] } = wishes[account];
    const opened = await openAccount(account, usd, ...options);
    accounts[account] = { ...opened, account, creditedNano: Math.round(Number(usd) * NANO) };
  }
  return accounts;
}
