/**
 * `x_simulate`: an object in a request's body that controls a simulated pod. Other pods pass it on like any unknown key.
 * docs/sell/simulated-pods.md has the same table.
 *
 * | switch | meaning |
 * |---|---|
 * | output_tokens | tokens of text; otherwise 24 to 95, drawn from the seed and the request |
 * | reasoning_tokens | tokens of reasoning; otherwise by `reasoning_effort`, none without it |
 * | tool_calls | number of calls, cycling through the request's tools |
 * | prompt_tokens, cached_tokens | the counts in the usage |
 * | first_token_ms, token_ms | the time to the first token, and between tokens |
 * | fail | how to fail, see `simulatedFailures` |
 * | fail_attempts | number of first attempts of an order that fail; all when absent, 1 for `no-slot` |
 */
import type { JsonObject } from '#orders/request.ts';

/**
 * `connect`: connection refused. `before-output`: an error instead of the first token. `mid-stream`: an error half way.
 * `stall`: silence half way. `garbage`: truncated JSON half way. `no-usage`: complete, no token counts. `no-finish`: all
 * text, no finish_reason. `refuse`: the model refuses the request. `no-slot`: no room. `hang`: no response at all.
 */
export const simulatedFailures = [
  'connect',
  'before-output',
  'mid-stream',
  'stall',
  'garbage',
  'no-usage',
  'no-finish',
  'refuse',
  'no-slot',
  'hang',
] as const;
export type SimulatedFailure = (typeof simulatedFailures)[number];

/** The switches of one request; null for a switch that is not set. */
export interface SimulationSwitches {
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly toolCalls: number | null;
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly firstTokenMs: number | null;
  readonly tokenMs: number | null;
  readonly fail: SimulatedFailure | null;
  readonly failAttempts: number | null;
}

/** A switch has an invalid value; the message names it. */
export class SwitchError extends Error {
  override readonly name = 'SwitchError';
}

/** The switches in `body`. Throws SwitchError. */
export function readSwitches(body: JsonObject): SimulationSwitches {
  const given = body.x_simulate ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) throw new SwitchError('x_simulate must be an object');
  const fields = given as Record<string, unknown>;
  return {
    outputTokens: count(fields, 'output_tokens'),
    reasoningTokens: count(fields, 'reasoning_tokens'),
    toolCalls: count(fields, 'tool_calls'),
    promptTokens: count(fields, 'prompt_tokens'),
    cachedTokens: count(fields, 'cached_tokens'),
    firstTokenMs: count(fields, 'first_token_ms'),
    tokenMs: count(fields, 'token_ms'),
    fail: failure(fields.fail),
    failAttempts: count(fields, 'fail_attempts'),
  };
}

/** How this attempt fails; null for not at all. */
export function attemptFailure(switches: SimulationSwitches, attempt: number): SimulatedFailure | null {
  const attempts = switches.failAttempts ?? (switches.fail === 'no-slot' ? 1 : Number.POSITIVE_INFINITY);
  return attempt <= attempts ? switches.fail : null;
}

function count(fields: Record<string, unknown>, name: string): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 1e9) return value;
  throw new SwitchError(`x_simulate.${name} must be a number from 0 to 1000000000`);
}

function failure(value: unknown): SimulatedFailure | null {
  if (value === undefined || value === null) return null;
  const known = simulatedFailures.find((name) => name === value);
  if (!known) throw new SwitchError(`x_simulate.fail must be one of ${simulatedFailures.join(', ')}`);
  return known;
}
