/** Accounts and keys for tests, with nothing special about them until a test says so. */
import type { Account, ApiKey, Principal } from '#access/principal.ts';

/** An active account without money, and its key. */
export function principalWith({
  account = {},
  key = {},
}: {
  readonly account?: Partial<Account>;
  readonly key?: Partial<ApiKey>;
} = {}): Principal {
  const plainAccount: Account = {
    id: 'acc',
    name: 'An account',
    status: 'active',
    balance: 0n,
    held: 0n,
    priceLimits: {},
    priceLock: false,
    orderTimeoutS: 600,
    retentionDays: 30,
    logPayloads: false,
    house: false,
    createdAtMs: 0,
  };
  const plainKey: ApiKey = {
    id: 'key',
    accountId: plainAccount.id,
    name: 'A key',
    hint: 'sk-sluice-AbCd…wXyZ',
    priceLimits: {},
    createdAtMs: 0,
    revokedAtMs: null,
  };
  return { account: { ...plainAccount, ...account }, key: { ...plainKey, ...key } };
}
