/** Parses arguments of the operator: amounts, days and price limits. Each error says what to write instead. */
import { TOP_UP_MAX, TOP_UP_MIN } from '#accounts/ledger/transfers.ts';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import { type NanoUsd, PRICE_LIMIT_USD_MAX, type PriceNano, parseUsd } from '#base/money.ts';
import { CommandError } from './output.ts';

/** An amount above 0 in USD. Throws CommandError. */
export function readAmount(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null && amount > 0n) return amount;
  throw new CommandError(`${text} is not an amount; write USD above 0, up to nine decimals, such as 25 or 12.50.`);
}

/** A top-up of $10 to $10,000 (Spec 8); `force` takes any amount. Throws CommandError. */
export function readTopUp(text: string, force: boolean): NanoUsd {
  const amount = readAmount(text);
  if (force || (amount >= TOP_UP_MIN && amount <= TOP_UP_MAX)) return amount;
  throw new CommandError(`A top-up is $10 to $10,000, this one is $${text}; add --force to allow it.`);
}

/** Days that results are kept, 0 to 30. Throws CommandError. */
export function readRetentionDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= RETENTION_DAYS_MAX) return days;
  throw new CommandError(`--retention-days is ${text}; write a whole number from 0 to ${RETENTION_DAYS_MAX}.`);
}

/** Parses `MODEL=USD`; does not check the model. Throws CommandError. */
export function readPriceLimit(text: string): { model: string; price: PriceNano } {
  const match = /^(.+)=(\d{1,10}(?:\.\d{1,9})?)$/.exec(text);
  const [, model, usd] = match ?? [];
  const nano = usd === undefined ? null : parseUsd(usd);
  if (model === undefined || nano === null || nano > BigInt(PRICE_LIMIT_USD_MAX) * 1_000_000_000n)
    throw new CommandError(
      `${text} is not a price limit; write MODEL=USD with 0 to ${PRICE_LIMIT_USD_MAX} USD per 1M input tokens, such as tide-70b=2.`,
    );
  return { model, price: Number(nano) };
}
