/**
 * The orders of a steady soak, some of whose clients disconnect, at every possible moment. Orders are small and pods are
 * fast, so that a million end within minutes.
 */
import type { Random } from '#base/random.ts';
import { between, chance, name } from '../harness/chance.ts';
import type { Call } from '../harness/client.ts';
import type { Lane } from '../harness/lane.ts';
import { count } from '../harness/ledger.ts';

/** Sends one order; `abortedShare` of the clients disconnect. */
export async function sendSmall({ client, caller, ledger, random }: Lane, abortedShare: number): Promise<void> {
  const call = chance(random, abortedShare) ? leaver(random) : patient(random);
  const exchange = await client.call(caller, '/v1/chat/completions', call);
  count(ledger.answers, exchange.kind === 'answer' ? String(exchange.status) : exchange.kind);
}

function patient(random: Random): Call {
  const stream = chance(random, 1 / 4);
  const detached = !stream && chance(random, 1 / 50);
  const simulate = { first_token_ms: 1, token_ms: 1, output_tokens: 3 };
  return {
    headers: chance(random, 1 / 50) ? { 'idempotency-key': name(random) } : {},
    body: { ...bodyOf(random, chance(random, 1 / 4) ? 'harbor' : 'tide', simulate), stream, detached },
  };
}

/** Disconnects while queued (that model has no pods), before the first token, or in mid-stream. */
function leaver(random: Random): Call {
  const leaving = { afterMs: between(random, 1, 25) };
  const stream = chance(random, 1 / 2);
  const moment = between(random, 0, 2);
  if (moment === 0) return { body: { ...bodyOf(random, 'ebb', {}), stream }, leaving };
  if (moment === 1) return { body: { ...bodyOf(random, 'tide', { first_token_ms: 60 }), stream }, leaving };
  const body = bodyOf(random, 'tide', { first_token_ms: 1, token_ms: 3, output_tokens: 20 });
  return { body: { ...body, stream: true }, leaving: { afterPieces: between(random, 1, 6) } };
}

function bodyOf(random: Random, model: string, simulate: object): object {
  const messages = [{ role: 'user', content: 'Say a few words about rivers.' }];
  return { model, messages, max_tokens: 32, price_limit: between(random, 1, 50), x_simulate: simulate };
}
