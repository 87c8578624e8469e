/** `sluice key …`: creating, changing, rotating and revoking API keys. A secret is shown once, when it is made. */
import { COMMAND_LINE } from '#access/member.ts';
import { type ApiKey, type KeySettings, scopes } from '#access/principal.ts';
import { scopesOf } from '#access/scopes.ts';
import type { Clock } from '#base/clock.ts';
import { budgetAt } from '#base/key-budget.ts';
import { formatPrice, formatUsd, nanoToUsd, type PriceNano, priceToUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import type { Listings } from '#market/listing.ts';
import type { OperatorStore } from './operator-store.ts';
import { type CommandResult, facts, faint, strong, table, timeText, WrongValue } from './output.ts';

/** The arguments of `key create`. */
interface NewKey extends KeySettings {
  readonly accountId: string;
  /** Default price limits by model id. */
  readonly limits: Readonly<Record<string, PriceNano>>;
  /** How many active keys an account may have; the default of Spec 8 when absent. */
  readonly activeMax?: number;
}

/** `key create`. */
export async function createKey({ keys }: OperatorStore, request: NewKey, clock: Clock): Promise<CommandResult> {
  const { accountId, limits: priceLimits, ...settings } = request;
  const { key, secret } = await keys.create(accountId, { ...settings, priceLimits }, COMMAND_LINE);
  const lines = [strong(secret), `${faint('This is the only time the key is shown.')} Its id is ${key.id}.`];
  const allowed = scopesOf(key);
  lines.push(
    allowed.length === scopes.length
      ? 'It may do everything in its account; with --scopes inference,read_own it would only call models.'
      : `Its scopes are ${allowed.join(', ')}.`,
  );
  if (Object.keys(priceLimits).length === 0)
    lines.push('It has no price limit: a request for a market model needs one, or its account a default.');
  return { json: { ...wireKey(key, clock), api_key: secret }, text: lines.join('\n') };
}

/** `key list`: the keys of an account, oldest first, with what each spent. */
export async function listKeys({ keys }: OperatorStore, accountId: string, clock: Clock): Promise<CommandResult> {
  const all = await keys.list(accountId);
  const [spent, owners] = await Promise.all([keys.spent(accountId), keys.owners(accountId)]);
  const ownerOf = ({ memberId }: ApiKey) => (memberId === null ? null : (owners.get(memberId) ?? memberId));
  const spentBy = ({ id }: ApiKey) => spent.get(id) ?? { today: 0n, month: 0n };
  const rows = all.map((key) => [
    key.id,
    key.name,
    key.hint,
    limitsText(key),
    formatUsd(spentBy(key).today),
    formatUsd(spentBy(key).month),
    budgetText(key, clock),
    key.models?.join(', ') ?? 'all',
    scopesOf(key).join(', '),
    key.addresses?.join(', ') ?? 'any',
    ownerOf(key) ?? '',
    timeText(key.createdAtMs),
    key.expiresAtMs === null ? '' : timeText(key.expiresAtMs),
    key.revokedAtMs === null ? '' : timeText(key.revokedAtMs),
  ]);
  const spentJson = (key: ApiKey) => ({
    spent_today_usd: nanoToUsd(spentBy(key).today),
    spent_this_month_usd: nanoToUsd(spentBy(key).month),
  });
  const names = ['KEY', 'NAME', 'HINT', 'PRICE LIMITS', 'TODAY USD', 'MONTH USD', 'BUDGET USD', 'MODELS'];
  const rights = ['SCOPES', 'ADDRESSES', 'MEMBER'];
  return {
    json: { keys: all.map((key) => ({ ...wireKey(key, clock), member: ownerOf(key), ...spentJson(key) })) },
    text: table([...names, ...rights, 'CREATED', 'EXPIRES', 'REVOKED'], rows),
  };
}

/** `key update`: changes what is given, and shows the key as it is from then on. */
export async function updateKey(
  { keys }: OperatorStore,
  { key: idOrSecret, ...settings }: KeySettings & { key: string },
  clock: Clock,
): Promise<CommandResult> {
  if (Object.keys(settings).length === 0)
    throw new WrongValue(
      'Nothing is to be changed: give --name, --price-limit, --budget, --reset, --expires, --models, --scopes, --addresses, --member or --strict.',
    );
  const key = await keys.update(idOrSecret, settings, COMMAND_LINE);
  return { json: wireKey(key, clock), text: `Key ${strong(key.id)} is changed.\n${describe(key, clock)}` };
}

/** `key rotate`: makes a new secret; the former one is accepted for a while. */
export async function rotateKey(
  { keys }: OperatorStore,
  { key: idOrSecret, overlapMs }: { key: string; overlapMs: number },
  clock: Clock,
): Promise<CommandResult> {
  const { key, secret } = await keys.rotate(idOrSecret, { overlapMs }, COMMAND_LINE);
  const until = overlapMs === 0 ? 'no longer' : `until ${timeText(key.previousUntilMs ?? 0)}`;
  const lines = [
    strong(secret),
    `${faint('This is the only time the secret is shown.')} It is the new one of key ${key.id}.`,
    `The one before is accepted ${until}.`,
  ];
  return { json: { ...wireKey(key, clock), api_key: secret }, text: lines.join('\n') };
}

/** `key revoke`, by id or by the key itself: new requests with it are refused within a second. */
export async function revokeKey({ keys }: OperatorStore, idOrSecret: string, clock: Clock): Promise<CommandResult> {
  const key = await keys.revoke(idOrSecret, COMMAND_LINE);
  return { json: wireKey(key, clock), text: `Key ${strong(key.id)} is revoked.` };
}

/** Price limits by the real ids of market models. Throws WrongValue for any other model. */
export function limitsById(
  listings: Listings,
  typed: readonly { model: string; price: PriceNano }[],
): Readonly<Record<string, PriceNano>> {
  const limits = new Map<string, PriceNano>();
  for (const { model, price } of typed) {
    const listing = listings.find(model);
    if (!listing) throw new WrongValue(`No model ${model} is in the configuration; npx sluice serve lists them.`);
    if (listing.type === 'fixed') throw new WrongValue(`${model} has fixed prices and takes no price limit.`);
    limits.set(listing.id, price);
  }
  return Object.fromEntries(limits);
}

function limitsText(key: ApiKey): string {
  return Object.entries(key.priceLimits)
    .map(([model, price]) => `${model}=${formatPrice(price)}`)
    .join(', ');
}

/** `0.50 of 5.00, month`; empty for none. */
function budgetText({ budget }: ApiKey, clock: Clock): string {
  if (budget === null) return '';
  const { amount, reset, spent } = budgetAt(budget, clock.nowMs());
  const period = reset === 'never' ? '' : ` a ${reset}`;
  return `${formatUsd(spent)} of ${formatUsd(amount ?? 0n)}${period}`;
}

function describe(key: ApiKey, clock: Clock): string {
  return facts([
    ['name', key.name],
    ['hint', key.hint],
    ['price limits', limitsText(key) || 'none'],
    ['budget', budgetText(key, clock) || 'none'],
    ['models', key.models?.join(', ') ?? 'all'],
    ['scopes', scopesOf(key).join(', ')],
    ['addresses', key.addresses?.join(', ') ?? 'any'],
    ['strict', key.strict ? 'on' : 'off'],
    ['expires', key.expiresAtMs === null ? 'never' : timeText(key.expiresAtMs)],
  ]);
}

function wireBudget({ budget }: ApiKey, clock: Clock): Record<string, unknown> | null {
  if (budget === null) return null;
  const { amount, reset, fromMs, spent, held } = budgetAt(budget, clock.nowMs());
  return {
    amount_usd: nanoToUsd(amount ?? 0n),
    reset,
    since: fromMs === 0 ? null : iso(fromMs),
    spent_usd: nanoToUsd(spent),
    held_usd: nanoToUsd(held),
  };
}

function wireKey(key: ApiKey, clock: Clock): Record<string, unknown> {
  const limits = Object.entries(key.priceLimits).map(([model, price]) => [model, priceToUsd(price)]);
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    hint: key.hint,
    default_price_limit: Object.fromEntries(limits),
    budget: wireBudget(key, clock),
    models: key.models,
    scopes: scopesOf(key),
    addresses: key.addresses,
    member_id: key.memberId,
    strict: key.strict,
    created_at: isoOrNull(key.createdAtMs),
    expires_at: isoOrNull(key.expiresAtMs),
    previous_secret_until: isoOrNull(key.previousUntilMs),
    revoked_at: isoOrNull(key.revokedAtMs),
  };
}
