/** Reading what the operator typed: amounts, days and price limits, each refused with a sentence that says the mend. */
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import { type NanoUsd, PRICE_LIMIT_USD_MAX, type PriceNano, parseUsd } from '#base/money.ts';
import { TOP_UP_MAX, TOP_UP_MIN } from '#storage/treasury.ts';
import { CommandError } from './output.ts';

/** An amount above 0 in USD. Throws CommandError. */
export function readAmount(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null && amount > 0n) return amount;
  throw new CommandError(`${text} is no amount; write USD above 0 with at most nine decimals, such as 25 or 12.50.`);
}

/** A top-up of $10 to $10,000 (Spec 8); `force` takes any amount. Throws CommandError. */
export function readTopUp(text: string, force: boolean): NanoUsd {
  const amount = readAmount(text);
  if (force || (amount >= TOP_UP_MIN && amount <= TOP_UP_MAX)) return amount;
  throw new CommandError(`A top-up is $10 to $10,000 and this is $${text}; add --force to grant it all the same.`);
}

/** Days that results are kept, 0 to 30. Throws CommandError. */
export function readRetentionDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= RETENTION_DAYS_MAX) return days;
  throw new CommandError(`--retention-days is ${text}; make it a whole number from 0 to ${RETENTION_DAYS_MAX}.`);
}

/** `MODEL=USD` as it is typed. Whether the model is one that takes a limit is the caller's to check. */
export function readPriceLimit(text: string): { model: string; price: PriceNano } {
  const match = /^(.+)=(\d{1,10}(?:\.\d{1,9})?)$/.exec(text);
  const [, model, usd] = match ?? [];
  const nano = usd === undefined ? null : parseUsd(usd);
  if (model === undefined || nano === null || nano > BigInt(PRICE_LIMIT_USD_MAX) * 1_000_000_000n)
    throw new CommandError(
      `${text} is no price limit; write MODEL=USD with 0 to ${PRICE_LIMIT_USD_MAX} USD per 1M input tokens, such as tide-70b=2.`,
    );
  return { model, price: Number(nano) };
}
