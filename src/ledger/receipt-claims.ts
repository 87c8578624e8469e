/**
 * What a signed receipt says, and whether it adds up. All that a charge follows from is in the claims, in whole
 * nano-dollars, so that anyone recomputes it without this gateway. They never contain any part of prompts or answers.
 */
import { levelHash, quoteHash } from './price-chain.ts';
import { chargeOf, tariffFromId } from './tariff.ts';

/** The payload of a signed receipt, as on the wire. openapi.yaml#/components/schemas/ReceiptClaims. */
export interface ReceiptClaims {
  readonly iss: string;
  /** When the order was settled, in epoch seconds. */
  readonly iat: number;
  readonly order_id: string;
  readonly kind: string;
  readonly model: string;
  readonly created_at: string;
  readonly admitted_at: string | null;
  readonly settled_at: string;
  /** The id of the tariff, which spells its content. */
  readonly tariff: string;
  readonly level_nano_usd: number;
  readonly bid_nano_usd: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly estimated: boolean;
  readonly charged_nano_usd: number;
  readonly written_off_nano_usd: number;
  /** The bound of the charge; null for none, absent in receipts of older gateways. */
  readonly max_charge_nano_usd?: number | null;
  readonly level_row: LevelClaim | null;
  readonly quote_window: QuoteClaim | null;
}

/** The published level at which an order was admitted, with its hashes in the chain of levels where they are known. */
export interface LevelClaim {
  readonly number: number;
  readonly level_nano_usd: number;
  readonly at_ms: number;
  readonly previous: string | null;
  readonly hash: string | null;
}

/** The quote that a lock relied on, likewise in the chain of quotes. */
export interface QuoteClaim {
  readonly number: number;
  readonly price_nano_usd: number;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly previous: string | null;
  readonly hash: string | null;
}

/** What follows from the claims of a receipt. */
export interface ReceiptCheck {
  /** What the tokens cost by tariff and price, in nano-dollars; null when the claims cannot be read. */
  readonly due: bigint | null;
  /** The contradictions, one sentence each. */
  readonly faults: readonly string[];
}

const COUNTS = ['prompt_tokens', 'cached_tokens', 'output_tokens', 'charged_nano_usd', 'written_off_nano_usd'] as const;

/** Recomputes the charge, and compares the price with bid, level and quote. `claims` may be anything. */
export function checkReceipt(claims: Readonly<Record<string, unknown>>): ReceiptCheck {
  const unreadable = (what: string): ReceiptCheck => ({ due: null, faults: [what] });
  for (const name of [...COUNTS, 'level_nano_usd', 'bid_nano_usd'] as const)
    if (!isCount(claims[name])) return unreadable(`${name} is not a whole number.`);
  const receipt = claims as unknown as ReceiptClaims;
  if (receipt.cached_tokens > receipt.prompt_tokens) return unreadable('More tokens were cached than sent.');
  let due: bigint;
  try {
    const tokens = {
      uncached: receipt.prompt_tokens - receipt.cached_tokens,
      cached: receipt.cached_tokens,
      output: receipt.output_tokens,
    };
    due = chargeOf(tariffFromId(String(receipt.tariff)), receipt.level_nano_usd, tokens);
  } catch (error) {
    if (error instanceof RangeError) return unreadable('The tariff cannot be read.');
    throw error;
  }
  return { due, faults: [...faultsOf(receipt, due)] };
}

function* faultsOf(receipt: ReceiptClaims, due: bigint): Generator<string> {
  const { charged_nano_usd, written_off_nano_usd, level_nano_usd, bid_nano_usd, level_row, quote_window } = receipt;
  const { model } = receipt;
  const told = BigInt(charged_nano_usd) + BigInt(written_off_nano_usd);
  if (told !== due) yield `The tokens cost ${due} nano-dollars; the receipt says ${told}.`;
  if (charged_nano_usd > (receipt.max_charge_nano_usd ?? charged_nano_usd)) yield 'The charge is above its bound.';
  if (level_nano_usd > bid_nano_usd) yield 'The price is above the bid.';
  if (level_row && !(level_nano_usd <= level_row.level_nano_usd)) yield 'The price is above the published level.';
  if (quote_window && !(bid_nano_usd <= quote_window.price_nano_usd)) yield 'The bid is above the quote.';
  if (level_row?.previous && levelHash(model, levelOf(level_row), level_row.previous) !== level_row.hash)
    yield 'The published level does not have the hash that the receipt names.';
  if (quote_window?.previous && quoteHash(model, quoteOf(quote_window), quote_window.previous) !== quote_window.hash)
    yield 'The quote does not have the hash that the receipt names.';
}

function levelOf({ number, level_nano_usd, at_ms }: LevelClaim) {
  return { number, price: level_nano_usd, atMs: at_ms };
}

function quoteOf({ number, price_nano_usd, from_ms, until_ms }: QuoteClaim) {
  return { number, price: price_nano_usd, atMs: from_ms, untilMs: until_ms };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
