/**
 * The demo account of a first start: with an empty database and a loopback address the gateway creates one account with
 * $10 and one key, so that a newcomer needs one command for the first request. Never on an address others can reach.
 */
import { COMMAND_LINE } from '#access/member.ts';
import type { PriceNano } from '#base/money.ts';
import type { Listing } from '#market/listing.ts';
import type { OperatorStore } from './operator-store.ts';

const CREDIT = 10_000_000_000n;
/** Far above a usual level, so that a demo request runs; the charge is at the level. */
const PRICE_LIMIT: PriceNano = 10_000_000_000;

/** Who owns the demo account, when somebody is to sign in to it. */
export const DEMO_OWNER = 'demo@localhost';

/** Returns the secret of a new demo key and its account; null when there are accounts already. */
export async function makeDemoAccount(
  { accounts, keys, transfers }: OperatorStore,
  listings: readonly Listing[],
): Promise<{ readonly secret: string; readonly accountId: string } | null> {
  if (!(await accounts.isEmpty())) return null;
  const account = await accounts.create({ name: 'demo' }, COMMAND_LINE);
  await transfers.credit(account.id, CREDIT, { reason: 'demo', idempotencyKey: 'demo' }, COMMAND_LINE);
  const markets = listings.filter((listing) => listing.type === 'market');
  const limits = markets.map((listing) => [listing.id, Math.min(PRICE_LIMIT, listing.ceiling)]);
  const { secret } = await keys.create(
    account.id,
    { name: 'demo', priceLimits: Object.fromEntries(limits) },
    COMMAND_LINE,
  );
  return { secret, accountId: account.id };
}
