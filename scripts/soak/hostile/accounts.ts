/** The accounts of a hostile soak. */
import type { RunAccounts } from '../../harness/accounts.ts';

/** Pays for some dozens of orders. */
export const TINY_USD = '0.0003';

/** The options of each. */
export const ACCOUNTS = {
  kept: { options: ['--log-payloads'] },
  unkept: { options: ['--retention-days', '0'] },
  keyed: {},
  detached: {},
  batches: {},
  tiny: { usd: TINY_USD, options: ['--force'] },
  rotating: {},
  suspended: {},
};

export type SoakAccounts = RunAccounts<keyof typeof ACCOUNTS>;
