/** `sluice key …`: creating, listing and revoking API keys. A secret is shown once, when the key is created. */
import type { ApiKey } from '#access/principal.ts';
import { formatPrice, type PriceNano, priceToUsd } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { OperatorStore } from './operator-store.ts';
import { CommandError, type CommandResult, faint, strong, table, timeText } from './output.ts';

/** The arguments of `key create`. */
export interface NewKey {
  readonly accountId: string;
  readonly name?: string;
  /** Default price limits by model id. */
  readonly limits: Readonly<Record<string, PriceNano>>;
  /** How many active keys an account may have; the default of Spec 8 when absent. */
  readonly activeMax?: number;
}

/** `key create`. */
export async function createKey({ keys }: OperatorStore, request: NewKey): Promise<CommandResult> {
  const { accountId, limits: priceLimits, ...settings } = request;
  const { key, secret } = await keys.create(accountId, { ...settings, priceLimits });
  const lines = [strong(secret), `${faint('This is the only time the key is shown.')} Its id is ${key.id}.`];
  if (Object.keys(priceLimits).length === 0)
    lines.push('It has no price limit: a request for a market model needs one, or its account a default.');
  return { json: { ...wireKey(key), api_key: secret }, text: lines.join('\n') };
}

/** `key list`: the keys of an account, oldest first. */
export async function listKeys({ keys }: OperatorStore, accountId: string): Promise<CommandResult> {
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

/** `key revoke`, by id or by the key itself: new requests with it are refused within a second. */
export async function revokeKey({ keys }: OperatorStore, idOrSecret: string): Promise<CommandResult> {
  const key = await keys.revoke(idOrSecret);
  return { json: wireKey(key), text: `Key ${strong(key.id)} is revoked.` };
}

/** Price limits by the real ids of market models. Throws CommandError for any other model. */
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
    .map(([model, price]) => `${model}=${formatPrice(price)}`)
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
