/**
 * What a transaction does, written once for both drivers: a generator that yields rounds and receives what they read. A
 * synchronous driver (SQLite) and an asynchronous one (MySQL) run the same code.
 */
import type { Round, RoundResult } from './operations.ts';

/** A sequence of rounds that returns an answer. */
export type Rounds<Answer> = Generator<Round, Answer, RoundResult>;

/** Runs rounds on a synchronous driver. An error of the driver is thrown into them. */
export function runSync<Answer>(rounds: Rounds<Answer>, execute: (round: Round) => RoundResult): Answer {
  let turn = rounds.next();
  while (!turn.done) {
    let result: RoundResult;
    try {
      result = execute(turn.value);
    } catch (error) {
      turn = rounds.throw(error);
      continue;
    }
    turn = rounds.next(result);
  }
  return turn.value;
}

/** The same on an asynchronous driver. */
export async function runAsync<Answer>(
  rounds: Rounds<Answer>,
  execute: (round: Round) => Promise<RoundResult>,
): Promise<Answer> {
  let turn = rounds.next();
  while (!turn.done) {
    let result: RoundResult;
    try {
      result = await execute(turn.value);
    } catch (error) {
      turn = rounds.throw(error);
      continue;
    }
    turn = rounds.next(result);
  }
  return turn.value;
}
