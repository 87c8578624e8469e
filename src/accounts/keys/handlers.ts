/**
 * The keys of an account, for its members and for the operator. A secret is in one answer, that of its creation or of its
 * rotation. The operator makes no key: an owner of the account does.
 */

import type { Account, ApiKey } from '#access/principal.ts';
import { budgetAt, type KeyBudget, periodEnd } from '#base/key-budget.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountIdOf, handlersOf, type MemberVisit } from '#contract/call.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { Authenticator } from './authenticator.ts';
import { keyChangeOf } from './key-settings.ts';
import { Keys, type UsedKey } from './key-store.ts';

/** listKeys, createKey, updateKey, rotateKey, revokeKey, listAccountKeys and revokeAccountKey. */
export function keysHandlers(
  database: OperatorOptions,
  {
    authenticator,
    findAccount,
    listings,
    activeMax,
  }: {
    readonly authenticator: Pick<Authenticator, 'forget'>;
    /** Throws Fault not_found. */
    readonly findAccount: (id: string) => Promise<Account>;
    readonly listings: Parameters<typeof keyChangeOf>[1];
    /** How many active keys an account may have. */
    readonly activeMax: () => number;
  },
) {
  const { clock } = database;
  const keys = new Keys(database);
  const listed = async (accountId: string) => {
    const data = (await keys.listUsed(accountId)).map((used) => keyObject(used, clock.nowMs()));
    return { status: 200 as const, json: { object: 'list', data, active_max: activeMax() } };
  };
  const revoked = async (named: { readonly accountId: string; readonly id: string }, { signedIn }: MemberVisit) => {
    await keys.revoke(named, signedIn.member);
    authenticator.forget(named.accountId);
    return { status: 204 as const };
  };
  return handlersOf({
    listKeys: (call) => listed(accountIdOf(call)),

    async createKey(call) {
      const settings = { ...keyChangeOf(call.call.body, listings), activeMax: activeMax() };
      const { key, secret } = await keys.create(accountIdOf(call), settings, call.signedIn.member);
      const created = { created_at: iso(key.createdAtMs), expires_at: isoOrNull(key.expiresAtMs) };
      return { status: 201, json: { ...nameOf(key), ...created, api_key: secret } };
    },

    async updateKey(call) {
      const settings = keyChangeOf(call.call.body, listings);
      const accountId = accountIdOf(call);
      await keys.update({ accountId, id: call.call.params.id }, settings, call.signedIn.member);
      authenticator.forget(accountId);
      return { status: 204 };
    },

    async rotateKey(call) {
      const { overlap_seconds: overlapS } = call.call.body;
      const accountId = accountIdOf(call);
      const named = { accountId, id: call.call.params.id };
      const { key, secret } = await keys.rotate(named, overlapS * 1000, call.signedIn.member);
      authenticator.forget(accountId);
      const rotated = { previous_until: overlapS === 0 ? null : isoOrNull(key.previousUntilMs) };
      return { status: 200, json: { ...nameOf(key), ...rotated, api_key: secret } };
    },

    revokeKey: (call) => revoked({ accountId: accountIdOf(call), id: call.call.params.id }, call),

    async listAccountKeys({ call }) {
      return listed((await findAccount(call.params.id)).id);
    },

    async revokeAccountKey(call) {
      const { id: accountId } = await findAccount(call.call.params.id);
      return revoked({ accountId, id: call.call.params.key }, call);
    },
  });
}

function nameOf({ id, name, hint }: ApiKey) {
  return { object: 'key', key_id: id, name, hint };
}

function keyObject({ key, lastUsedAtMs, spent }: UsedKey, nowMs: number) {
  const { budget, expiresAtMs, previousUntilMs } = key;
  return {
    ...nameOf(key),
    created_at: iso(key.createdAtMs),
    last_used_at: isoOrNull(lastUsedAtMs),
    spent_today_usd: nanoToUsd(spent.today),
    spent_this_month_usd: nanoToUsd(spent.month),
    budget: budget && budgetObject(budget, nowMs),
    expires_at: isoOrNull(expiresAtMs),
    expired: expiresAtMs !== null && expiresAtMs <= nowMs,
    models: key.models,
    price_limits: Object.fromEntries(
      Object.entries(key.priceLimits).map(([model, price]) => [model, priceToUsd(price)]),
    ),
    previous_until: previousUntilMs !== null && previousUntilMs > nowMs ? iso(previousUntilMs) : null,
  };
}

function budgetObject(stored: KeyBudget, nowMs: number) {
  const { amount, reset, spent, held } = budgetAt(stored, nowMs);
  const most = amount ?? 0n;
  const left = most - spent - held;
  return {
    amount_usd: nanoToUsd(most),
    reset,
    spent_usd: nanoToUsd(spent),
    held_usd: nanoToUsd(held),
    left_usd: nanoToUsd(left > 0n ? left : 0n),
    renews_at: isoOrNull(periodEnd(reset, nowMs)),
  };
}
