/** What a payment is waiting for, or how it ended. The gateway ends each that nothing is heard of for eight days. */
import type { Schemas } from './session.ts';

/** A payment in words. */
export interface PaymentState {
  readonly word: string;
  /** The class of the pill. */
  readonly look: '' | 'pill-well' | 'pill-warn' | 'pill-wrong';
  readonly sentence: string;
}

/** The page of the provider is open for so long. */
const PAGE_MS = 24 * 3_600_000;

/** The state at `nowMs`. */
export function stateOf(
  { status, automatic, created_at, amount_usd, reversed_usd }: Schemas['Payment'],
  nowMs: number,
): PaymentState {
  if (status === 'paid') {
    if (reversed_usd <= 0) return { word: 'paid', look: 'pill-well', sentence: 'Credited to the balance.' };
    return reversed_usd < amount_usd
      ? { word: 'paid', look: 'pill-warn', sentence: 'Credited; a part was taken back by a refund or dispute.' }
      : { word: 'taken back', look: 'pill-wrong', sentence: 'Credited, and taken back by a refund or dispute.' };
  }
  if (status === 'expired')
    return { word: 'not paid', look: '', sentence: 'It was not paid in time. Nothing was credited.' };
  if (status === 'failed')
    return { word: 'failed', look: 'pill-wrong', sentence: 'The payment was refused. Nothing was credited.' };
  if (automatic)
    return { word: 'sent', look: 'pill-warn', sentence: 'Sent to the saved card; its bank has to answer.' };
  return nowMs - Date.parse(created_at) < PAGE_MS
    ? { word: 'not paid yet', look: 'pill-warn', sentence: 'It ends after a day if it is not paid.' }
    : { word: 'unconfirmed', look: 'pill-warn', sentence: 'No bank has confirmed it; it ends after eight days.' };
}
