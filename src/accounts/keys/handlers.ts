/** The keys of the member's account. A secret is in one answer, that of its creation or of its rotation. */

import type { ApiKey } from '#access/principal.ts';
import type { Clock } from '#base/clock.ts';
import { budgetAt, type KeyBudget, periodEnd } from '#base/key-budget.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountIdOf, changeBy } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { TaggedId } from '#contract/operation.ts';
import type { MemberKeys, UsedKey } from '../members/ports.ts';
import type { Authenticator } from './authenticator.ts';
import { keyChangeOf } from './key-settings.ts';

/** What these handlers need. */
export interface KeysOptions {
  readonly keys: MemberKeys;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly listings: Parameters<typeof keyChangeOf>[1];
  readonly clock: Clock;
}

/** listKeys, createKey, updateKey, rotateKey and revokeKey. */
export function keysHandlers({ keys, authenticator, listings, clock }: KeysOptions): HandlersFor<TaggedId<'keys'>> {
  return {
    async listKeys(call) {
      const data = (await keys.list(accountIdOf(call))).map((used) => keyObject(used, clock.nowMs()));
      return { status: 200, json: { object: 'list', data, active_max: keys.activeMax } };
    },

    async createKey(call) {
      const settings = keyChangeOf(call.call.body, listings);
      const { key, secret } = await keys.create(changeBy(call), settings);
      const created = { created_at: iso(key.createdAtMs), expires_at: isoOrNull(key.expiresAtMs) };
      return { status: 201, json: { ...nameOf(key), ...created, api_key: secret } };
    },

    async updateKey(call) {
      const settings = keyChangeOf(call.call.body, listings);
      await keys.update(changeBy(call), call.call.params.id, settings);
      authenticator.forget(accountIdOf(call));
      return { status: 204 };
    },

    async rotateKey(call) {
      const { overlap_seconds: overlapS } = call.call.body;
      const { key, secret } = await keys.rotate(changeBy(call), call.call.params.id, overlapS * 1000);
      authenticator.forget(accountIdOf(call));
      const rotated = { previous_until: overlapS === 0 ? null : isoOrNull(key.previousUntilMs) };
      return { status: 200, json: { ...nameOf(key), ...rotated, api_key: secret } };
    },

    async revokeKey(call) {
      await keys.revoke(changeBy(call), call.call.params.id);
      authenticator.forget(accountIdOf(call));
      return { status: 204 };
    },
  };
}

function nameOf({ id, name, hint }: ApiKey) {
  return { object: 'key', key_id: id, name, hint };
}

/** A key, as lists show it. */
export function keyObject({ key, lastUsedAtMs, spent }: UsedKey, nowMs: number) {
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
