/** Plain accounts and keys for tests; a test changes what it is about. */
import type { Account, ApiKey, Principal } from '#access/principal.ts';
import { wholeAccount } from '#base/reach.ts';
import { newAccount } from '#storage/records/account.ts';

/** An active account without money; `more` changes it. */
export function accountWith(more: Partial<Account> = {}): Account {
  const settings = { id: 'acc_1', name: 'An account', retentionDays: 30, logPayloads: false, house: false };
  return { ...newAccount(settings, 0), ...more };
}

/** Such an account with its key, which reaches all of it. */
export function principalWith({
  account = {},
  key = {},
}: {
  readonly account?: Partial<Account>;
  readonly key?: Partial<ApiKey>;
} = {}): Principal {
  const plainKey: ApiKey = {
    id: 'key_1',
    accountId: 'acc_1',
    name: 'A key',
    hint: 'sk-sluice-AbCd…wXyZ',
    priceLimits: {},
    budget: null,
    models: null,
    scopes: null,
    addresses: null,
    memberId: null,
    strict: false,
    expiresAtMs: null,
    previousUntilMs: null,
    createdAtMs: 0,
    revokedAtMs: null,
  };
  const owner = accountWith(account);
  return { account: owner, key: { ...plainKey, ...key }, reach: wholeAccount(owner.id) };
}
