/**
 * The keys of an account, for its members and for the operator. A secret is shown once, when it is created or rotated.
 * The operator makes no key: an owner of the account does.
 */
import type { Account, ApiKey, KeySettings } from '#access/principal.ts';
import { NARROW_SCOPES, scopesOf } from '#access/scopes.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { budgetAt, type KeyBudget, periodEnd } from '#base/key-budget.ts';
import { momentOf } from '#base/moment.ts';
import { type NanoUsd, nanoToUsd, type PriceNano, parseUsd, priceFromUsd, priceToUsd } from '#base/money.ts';
import { HOUR_MS, iso, isoOrNull } from '#base/time.ts';
import { accountIdOf, handlersOf, type MemberVisit } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { Authenticator } from './authenticator.ts';
import { Keys, type MadeKey, NAME_LENGTH_MAX, type UsedKey } from './key-store.ts';

/** listKeys, createKey, openPlayground, updateKey, rotateKey, revokeKey, listAccountKeys and revokeAccountKey. */
export function keysHandlers(
  database: OperatorOptions,
  options: {
    readonly authenticator: Pick<Authenticator, 'forget'>;
    /** Throws Fault not_found. */
    readonly findAccount: (id: string) => Promise<Account>;
    readonly listings: Parameters<typeof keyChangeOf>[1];
    /** How many active keys an account may have. */
    readonly activeMax: () => number;
  },
) {
  const { authenticator, findAccount, listings, activeMax } = options;
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
      const settings = { scopes: NARROW_SCOPES, ...keyChangeOf(call.call.body, listings), activeMax: activeMax() };
      const made = await keys.create(accountIdOf(call), settings, call.signedIn.member);
      return { status: 201, json: createdKey(made) };
    },

    async openPlayground(call) {
      const accountId = accountIdOf(call);
      const lent = await lendKey(keys, call, { expiresAtMs: clock.nowMs() + LENT_MS, activeMax: activeMax() });
      authenticator.forget(accountId);
      return { status: 200, json: createdKey(lent) };
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
      const { key, secret } = await keys.rotate(named, { overlapMs: overlapS * 1000 }, call.signedIn.member);
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

/** For how long the page of the playground may use its key, and the secret before the newest one. */
const LENT_MS = HOUR_MS;

/**
 * The key of the playground of a signed-in member, with a new secret. A key of its own, and not the rights of the session:
 * the owner lists it, limits it and revokes it like any other, and its requests take the same way as those of programs.
 */
async function lendKey(
  keys: Keys,
  call: MemberVisit,
  { expiresAtMs, activeMax }: { readonly expiresAtMs: number; readonly activeMax: number },
): Promise<MadeKey> {
  const accountId = accountIdOf(call);
  const { member } = call.signedIn;
  const name = `Playground (${member.email})`.slice(0, NAME_LENGTH_MAX);
  const isLent = (key: ApiKey) => key.revokedAtMs === null && key.memberId === member.id && key.name === name;
  const lent = (await keys.list(accountId)).find(isLent);
  if (lent) return keys.rotate({ accountId, id: lent.id }, { overlapMs: LENT_MS, expiresAtMs }, member);
  const settings = { name, expiresAtMs, scopes: NARROW_SCOPES, member: member.email, activeMax };
  return keys.create(accountId, settings, member);
}

function createdKey({ key, secret }: MadeKey) {
  const created = { created_at: iso(key.createdAtMs), expires_at: isoOrNull(key.expiresAtMs) };
  return { ...nameOf(key), ...created, api_key: secret };
}

function nameOf({ id, name, hint }: ApiKey) {
  return { object: 'key', key_id: id, name, hint };
}

function keyObject({ key, member, lastUsedAtMs, spent }: UsedKey, nowMs: number) {
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
    scopes: [...scopesOf(key)],
    default_scopes: key.scopes === null,
    addresses: key.addresses,
    member,
    price_limits: Object.fromEntries(
      Object.entries(key.priceLimits).map(([model, price]) => [model, priceToUsd(price)]),
    ),
    strict: key.strict,
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

/** The change. Throws Fault invalid_request and, of a name that is no model's, unknown_model or fixed_price_model. */
function keyChangeOf(body: components['schemas']['KeySettings'], listings: Listings): KeySettings {
  const { name, budget_usd: budget, budget_reset: reset, expires_at: expires, models, price_limits: limits } = body;
  const { scopes, addresses, member, strict } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(budget === undefined ? {} : { budget: budget === null ? null : amountOf(budget) }),
    ...(reset === undefined ? {} : { reset }),
    ...(expires === undefined ? {} : { expiresAtMs: expires === null ? null : expiryOf(expires) }),
    ...(models === undefined ? {} : { models: models && modelsOf(models, listings) }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(addresses === undefined ? {} : { addresses }),
    ...(member === undefined ? {} : { member }),
    ...(strict === undefined ? {} : { strict }),
    ...(limits === undefined ? {} : { priceLimits: limitsOf(limits, listings) }),
  };
}

function amountOf(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null) return amount;
  throw invalidRequest('budget_usd', 'budget_usd must be USD as a decimal such as 12.50, with at most nine decimals.');
}

function expiryOf(text: string): number {
  const ms = momentOf(text);
  if (ms !== null) return ms;
  throw invalidRequest('expires_at', 'expires_at must be a moment with its zone, such as 2027-01-31T18:00:00Z.');
}

function modelsOf(names: readonly string[], listings: Listings): string[] {
  return [...new Set(names.map((name) => listingOf(name, 'models', listings).id))];
}

/** The last of several names of one model counts. */
function limitsOf(limits: Readonly<Record<string, number>>, listings: Listings): Record<string, PriceNano> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, usd]) => {
      const param = `price_limits.${name}`;
      const listing = listingOf(name, param, listings);
      if (listing.type === 'fixed') throw new Fault('fixed_price_model', { param });
      return [listing.id, priceFromUsd(usd)];
    }),
  );
}

function listingOf(name: string, param: string, listings: Listings): Listing {
  const listing = listings.find(name);
  if (listing) return listing;
  throw new Fault('unknown_model', { param, message: `No model ${name} is served here.` });
}
