/** What the prices of a market continue from after a restart, and the text in which it is stored with each quote. */
import type { ClaimState } from '../book/claims.ts';
import type { VoiceState } from '../book/voices.ts';
import type { PastLevelsState } from './past-levels.ts';
import type { QuoteState } from './quote.ts';
import type { TurnoverState } from './slot-turnover.ts';

/** The state of the prices of one market. */
export interface PriceState extends QuoteState {
  readonly claims: ClaimState;
  readonly voices: VoiceState;
  readonly turnover: TurnoverState;
  /** Absent from what earlier versions stored. */
  readonly past?: PastLevelsState;
}

/**
 * The stored texts of one market. What is known of accounts is most of a text, and the same object while nothing has come
 * of them: then what was written of it is used again.
 */
export class PriceStateTexts {
  #accounts: Pick<PriceState, 'claims' | 'voices'> | null = null;
  #accountsText = '';

  text({ claims, voices, ...market }: PriceState): string {
    if (this.#accounts?.claims !== claims || this.#accounts.voices !== voices) {
      this.#accounts = { claims, voices };
      this.#accountsText = membersOf(this.#accounts);
    }
    return `{${membersOf(market)},${this.#accountsText}}`;
  }
}

/** The members of an object as JSON, with six decimals: at full length most of it would be digits that mean nothing. */
function membersOf(object: object): string {
  return JSON.stringify(rounded(object)).slice(1, -1);
}

/**
 * The state in a stored text; null for none. One without voices is from before locks had weights. It is ignored: its
 * arrivals, pace and correction were counted otherwise.
 */
export function priceStateFrom(text: string | null): PriceState | null {
  const state = text === null ? null : (JSON.parse(text) as Partial<PriceState>);
  return state?.voices ? (state as PriceState) : null;
}

/** A copy, because `JSON.stringify` takes several times as long with a function that rounds. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)]));
}
