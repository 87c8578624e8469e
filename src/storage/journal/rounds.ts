/**
 * What a transaction does, written once for both drivers: a generator that yields rounds and receives what they read. A
 * synchronous driver (SQLite) and an asynchronous one (MySQL) run the same code.
 */
import type { Round, RoundResult } from './operations.ts';
import { Unsure } from './rows.ts';

/** A sequence of rounds that returns an answer. */
export type Rounds<Answer> = Generator<Round, Answer, RoundResult>;

/** An error of the driver: the database's, unlike what a unit throws when it is applied. */
export class DriverError extends Error {
  /** `cause`: what the driver threw. */
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Runs rounds on a synchronous driver. An error of the driver is thrown into them, as `DriverError`. */
export function runSync<Answer>(rounds: Rounds<Answer>, execute: (round: Round) => RoundResult): Answer {
  let turn = rounds.next();
  while (!turn.done) {
    let result: RoundResult;
    try {
      result = execute(turn.value);
    } catch (error) {
      turn = rounds.throw(error instanceof Unsure ? error : new DriverError(error));
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
      turn = rounds.throw(error instanceof Unsure ? error : new DriverError(error));
      continue;
    }
    turn = rounds.next(result);
  }
  return turn.value;
}
