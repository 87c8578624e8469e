/**
 * Joins simultaneous requests into one query: all that come while a query runs are sent together. The number of markets
 * that a gateway takes over then costs no round trips.
 */
import type { Connection } from 'mysql2/promise';
import type { LeaseLine } from './session.ts';

/** How much goes together: a statement must not become longer than a server takes. */
const AT_ONCE_MAX = 500;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions of one kind. */
export class Gathering<Asked, Answer> {
  readonly #line: LeaseLine;
  readonly #work: (connection: Connection, asked: readonly Asked[]) => Promise<readonly Answer[]>;
  #waiting: Waiting<Asked, Answer>[] = [];

  /** `work` answers all that it is given, in this order. */
  constructor(line: LeaseLine, work: (connection: Connection, asked: readonly Asked[]) => Promise<readonly Answer[]>) {
    this.#line = line;
    this.#work = work;
  }

  /** Rejects as `LeaseLine.run` does. */
  ask(asked: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ asked, resolve, reject });
    if (this.#waiting.length === 1) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    let taken = null as readonly Waiting<Asked, Answer>[] | null;
    try {
      const answers = await this.#line.run((connection) => {
        // The line has given up before it began, and its callers know.
        if (taken !== null) throw new Error('The database was too late.');
        taken = this.#take();
        return this.#work(
          connection,
          taken.map(({ asked }) => asked),
        );
      });
      for (const [at, { resolve }] of (taken ?? []).entries()) resolve(answers[at] as Answer);
    } catch (error) {
      taken ??= this.#take();
      for (const { reject } of taken) reject(error);
    }
  }

  #take(): readonly Waiting<Asked, Answer>[] {
    const taken = this.#waiting.splice(0, AT_ONCE_MAX);
    if (this.#waiting.length > 0) void this.#run();
    return taken;
  }
}
