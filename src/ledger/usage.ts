/**
 * Decides which token counts are charged. Reported counts are used if they are possible. Otherwise the gateway's own
 * counts replace them and the entry is marked as an estimate: its prompt counts as uncached, unless the listing says
 * otherwise. Output above the cap is never charged, whichever count is used. docs/understand/lifecycle.md.
 */
import type { Tokens } from './tariff.ts';

/** What is known about a finished attempt. */
export interface Metered {
  /** The pod's counts; null when it sent none. `cached` is part of `prompt`. */
  readonly reported: {
    readonly promptTokens: number;
    readonly cachedTokens: number;
    readonly outputTokens: number;
  } | null;
  /** The number of chunks of output where each of them is one token; null where they show nothing. */
  readonly outputChunks: number | null;
  /** The number of deltas received. */
  readonly outputDeltas: number;
  /** The bytes of text in them; only called when an estimate is needed. */
  readonly outputBytes: () => number;
  readonly promptEstimate: number;
  /** The prompt tokens covered by the hold; an estimate is never charged above it. */
  readonly promptBound: number;
  /** The share of an estimated prompt that counts as cached, 0 to 1. */
  readonly estimatedCachedShare: number;
  readonly outputCap: number;
  readonly contextLength: number;
}

const BYTES_PER_TOKEN = 4;

/** The token counts to charge, and whether they are an estimate. A reported 0 is a count and is kept. */
export function tokensToCharge(metered: Metered): { tokens: Tokens; estimated: boolean } {
  const { reported, outputCap } = metered;
  if (reported && isPossible(reported, metered.contextLength)) {
    const { promptTokens, cachedTokens, outputTokens } = reported;
    return {
      tokens: {
        uncached: promptTokens - cachedTokens,
        cached: cachedTokens,
        output: Math.min(outputTokens, outputCap),
      },
      estimated: false,
    };
  }
  const prompt = Math.min(metered.promptEstimate, metered.promptBound, metered.contextLength);
  const cached = Math.round(prompt * metered.estimatedCachedShare);
  const counted =
    metered.outputChunks ?? Math.max(metered.outputDeltas, Math.ceil(metered.outputBytes() / BYTES_PER_TOKEN));
  return {
    tokens: { uncached: prompt - cached, cached, output: Math.min(counted, outputCap) },
    estimated: true,
  };
}

function isPossible(reported: NonNullable<Metered['reported']>, contextLength: number): boolean {
  const { promptTokens, cachedTokens, outputTokens } = reported;
  const whole = [promptTokens, cachedTokens, outputTokens].every((count) => Number.isSafeInteger(count) && count >= 0);
  return whole && cachedTokens <= promptTokens && promptTokens <= contextLength;
}
