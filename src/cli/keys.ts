/** `sluice key …`: making, listing and revoking API keys. A secret is shown once, when it is made. */
import type { ApiKey } from '#access/principal.ts';
import { type PriceNano, priceToUsd } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { Books } from './books.ts';
import { CommandError, faint, type Result, strong, table, timeText } from './output.ts';

/** A key that an operator asks for. */
export interface NewKey {
  readonly accountId: string;
  readonly name?: string;
  /** Default price limits by model id. */
  readonly limits: Readonly<Record<string, PriceNano>>;
  /** Keys of one account that may be active; Spec 8's when absent. */
  readonly activeMax?: number;
}

/** `key create`. */
export async function createKey({ keys }: Books, wish: NewKey): Promise<Result> {
  const { accountId, limits: priceLimits, ...settings } = wish;
  const { key, secret } = await keys.create(accountId, { ...settings, priceLimits });
  const lines = [strong(secret), `${faint('This is the only time the key is shown.')} Its id is ${key.id}.`];
  if (Object.keys(priceLimits).length === 0)
    lines.push('It has no price limit: a request for a market model brings its own, or its account has a default.');
  return { json: { ...wireKey(key), api_key: secret }, text: lines.join('\n') };
}

/** `key list`: the keys of an account, oldest first. */
export async function listKeys({ keys }: Books, accountId: string): Promise<Result> {
  const all = await keys.list(accountId);
  const rows = all.map((key) => [
    key.id,
    key.name,
    key.hint,
    limitsText(key),
    timeText(key.createdAtMs),
    key.revokedAtMs === null ? '' : timeText(key.revokedAtMs),
  ]);
  return {
    json: { keys: all.map(wireKey) },
    text: table(['KEY', 'NAME', 'HINT', 'PRICE LIMITS', 'CREATED', 'REVOKED'], rows),
  };
}

/** `key revoke`: new requests with it are refused within a second. */
export async function revokeKey({ keys }: Books, keyId: string): Promise<Result> {
  const key = await keys.revoke(keyId);
  return { json: wireKey(key), text: `Key ${strong(key.id)} is revoked.` };
}

/** Price limits under the real ids of market models. Throws CommandError for another model. */
export function limitsById(
  listings: Listings,
  typed: readonly { model: string; price: PriceNano }[],
): Readonly<Record<string, PriceNano>> {
  const limits = new Map<string, PriceNano>();
  for (const { model, price } of typed) {
    const listing = listings.find(model);
    if (!listing) throw new CommandError(`No model ${model} is in the configuration; npx sluice serve lists them.`);
    if (listing.type === 'fixed') throw new CommandError(`${model} has fixed prices and takes no price limit.`);
    limits.set(listing.id, price);
  }
  return Object.fromEntries(limits);
}

function limitsText(key: ApiKey): string {
  return Object.entries(key.priceLimits)
    .map(([model, price]) => `${model}=${priceToUsd(price)}`)
    .join(', ');
}

function wireKey(key: ApiKey): Record<string, unknown> {
  const limits = Object.entries(key.priceLimits).map(([model, price]) => [model, priceToUsd(price)]);
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    hint: key.hint,
    default_price_limit: Object.fromEntries(limits),
    created_at: new Date(key.createdAtMs).toISOString(),
    revoked_at: key.revokedAtMs === null ? null : new Date(key.revokedAtMs).toISOString(),
  };
}
