/** The logprobs of simulated tokens: made up, but with the form of real ones. */
import type { JsonObject } from '#orders/request.ts';
import { WORDS } from './simulated-answer.ts';

/** The probability of a chosen token. Each alternative has half that of the one before it, so all are less than 1. */
const CHOSEN = 0.9;
/** More than the protocol allows to ask for, even without the chosen one. */
const ALTERNATIVES = [...new Set([...WORDS, 'water', 'stone'])].map((word) => `${word} `);

/** The `logprobs` of a delta of one token. Of `count` top tokens, the most probable first, the chosen one is the first. */
export function logprobsOf(token: string, count: number): JsonObject {
  const others = ALTERNATIVES.filter((other) => other !== token);
  const top = [token, ...others].slice(0, Math.max(0, count)).map((one, place) => entryOf(one, probability(place)));
  return { content: [{ ...entryOf(token, CHOSEN), top_logprobs: top }] };
}

function probability(place: number): number {
  return place === 0 ? CHOSEN : (1 - CHOSEN) * 0.5 ** place;
}

function entryOf(token: string, share: number): JsonObject {
  return { token, logprob: Math.log(share), bytes: [...Buffer.from(token)] };
}
