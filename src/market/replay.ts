/**
 * Gives a record to a new exchange, line by line, and holds what it tells against what the recorded one told, character
 * by character. A record may end anywhere, as that of a process that was killed does: what its last input brought about
 * is then only compared as far as it goes.
 */
import type { Random } from '#base/random.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeEvent } from './ports.ts';
import type { Input, Line } from './recording.ts';

/** How far a replay has come. */
export interface ReplayOutcome {
  readonly inputs: number;
  /** Events that came out as recorded, by type. */
  readonly events: Readonly<Partial<Record<ExchangeEvent['type'], number>>>;
  /** The first event that did not; null when all did. Null in it stands for an event that did not come. */
  readonly difference: {
    readonly line: number;
    readonly recorded: string | null;
    readonly replayed: string | null;
  } | null;
}

/** One input and what it brought about. */
interface Step {
  readonly line: number;
  readonly input: Input;
  readonly draws: number[];
  readonly events: string[];
}

/** A replay under way. `told` gets each event that the new exchange tells. */
export class Replay {
  readonly #told: (event: ExchangeEvent) => void;
  readonly #events: Partial<Record<ExchangeEvent['type'], number>> = {};
  #exchange: Exchange | null = null;
  #step: Step | null = null;
  #draws: number[] = [];
  #replayed: ExchangeEvent[] = [];
  #lines = 0;
  #brokenLine: number | null = null;
  #inputs = 0;
  #difference: ReplayOutcome['difference'] = null;

  constructor(told: (event: ExchangeEvent) => void = () => {}) {
    this.#told = told;
  }

  /** Takes the next line. Throws Error when the line before was none of a record; the last of all may be cut off. */
  take(text: string): void {
    if (this.#brokenLine !== null) throw new Error(`Line ${this.#brokenLine} is no line of a record of an exchange.`);
    this.#lines++;
    const line = lineFrom(text);
    if (!line) this.#brokenLine = this.#lines;
    else if ('draw' in line) this.#step?.draws.push(line.draw);
    else if ('event' in line) this.#step?.events.push(JSON.stringify(line.event));
    else {
      this.#run(false);
      this.#step = { line: this.#lines, input: line, draws: [], events: [] };
    }
  }

  /** After the last line. Throws Error when there was none. */
  end(): ReplayOutcome {
    this.#run(true);
    if (this.#inputs === 0) throw new Error('This is no record of an exchange: it is empty.');
    return { inputs: this.#inputs, events: this.#events, difference: this.#difference };
  }

  #run(isLast: boolean): void {
    const step = this.#step;
    if (!step || this.#difference) return;
    this.#replayed = [];
    const isWhole = this.#give(step);
    if (!isWhole && !isLast) throw new Error(`Line ${step.line}: the record draws less often than the exchange does.`);
    this.#inputs++;
    this.#compare(step, isLast);
  }

  /** Returns false when the draws ran out. */
  #give({ input, draws, line }: Step): boolean {
    try {
      if ('open' in input) this.#open(input, draws);
      else if (!this.#exchange) throw new Error(`Line ${line}: a record begins with how its exchange was opened.`);
      else {
        this.#draws = draws;
        if ('command' in input) this.#exchange.handle(input.command, input.at);
        else if ('tick' in input) this.#exchange.tick(input.at);
        else this.#exchange.turnWindows(input.at);
      }
      return true;
    } catch (error) {
      if (error instanceof NoDrawLeft) return false;
      throw error;
    }
  }

  #open({ open }: Extract<Input, { open: unknown }>, draws: number[]): void {
    this.#draws = draws;
    const random: Random = {
      next: () => {
        const draw = this.#draws.shift();
        if (draw === undefined) throw new NoDrawLeft();
        return draw;
      },
    };
    const emit = (event: ExchangeEvent) => {
      this.#replayed.push(event);
      this.#told(event);
    };
    this.#exchange = new Exchange({ ...open, random, emit });
  }

  #compare({ line, events }: Step, isLast: boolean): void {
    const count = isLast ? events.length : Math.max(events.length, this.#replayed.length);
    for (let index = 0; index < count; index++) {
      const recorded = events[index] ?? null;
      const event = this.#replayed[index];
      const replayed = event ? JSON.stringify(event) : null;
      if (!event || recorded !== replayed) {
        this.#difference = { line, recorded, replayed };
        return;
      }
      this.#events[event.type] = (this.#events[event.type] ?? 0) + 1;
    }
  }
}

class NoDrawLeft extends Error {}

/** Null for anything else. */
function lineFrom(text: string): Line | null {
  try {
    const line = JSON.parse(text);
    return ['open', 'command', 'tick', 'turn', 'draw', 'event'].some((key) => key in line) ? line : null;
  } catch {
    return null;
  }
}
