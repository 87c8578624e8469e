/**
 * Replays a record on a new exchange, line by line, and compares the events with the recorded ones, character by
 * character. A record can end anywhere, for example when a process was killed. The events of its last input are
 * compared only as far as the record goes.
 */
import type { Random } from '#base/random.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeEvent } from './ports.ts';
import type { RecordedInput, RecordLine } from './recording.ts';

/** The progress of a replay. */
export interface ReplayOutcome {
  readonly inputs: number;
  /** The number of events that matched the record, by type. */
  readonly events: Readonly<Partial<Record<ExchangeEvent['type'], number>>>;
  /** The first mismatch; null when everything matched. Null on one side means that an event is missing there. */
  readonly difference: {
    readonly line: number;
    readonly recorded: string | null;
    readonly replayed: string | null;
  } | null;
}

/** One input, with its draws and events. */
interface Step {
  readonly line: number;
  readonly input: RecordedInput;
  readonly draws: number[];
  readonly events: string[];
}

/** A replay in progress. `onEvent` gets each event of the new exchange. */
export class RecordReplay {
  readonly #onEvent: (event: ExchangeEvent) => void;
  readonly #events: Partial<Record<ExchangeEvent['type'], number>> = {};
  #exchange: Exchange | null = null;
  #step: Step | null = null;
  #draws: number[] = [];
  #replayed: ExchangeEvent[] = [];
  #lines = 0;
  #brokenLine: number | null = null;
  #inputs = 0;
  #difference: ReplayOutcome['difference'] = null;

  constructor(onEvent: (event: ExchangeEvent) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  /** Takes the next line. Throws Error if the line before is not part of a record; only the last may be cut off. */
  take(text: string): void {
    if (this.#brokenLine !== null) throw new Error(`RecordLine ${this.#brokenLine} is not part of an exchange record.`);
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

  /** Call it after the last line. Throws Error when the record is empty. */
  end(): ReplayOutcome {
    this.#run(true);
    if (this.#inputs === 0) throw new Error('The exchange record is empty.');
    return { inputs: this.#inputs, events: this.#events, difference: this.#difference };
  }

  #run(isLast: boolean): void {
    const step = this.#step;
    if (!step || this.#difference) return;
    this.#replayed = [];
    const isWhole = this.#give(step);
    if (!isWhole && !isLast)
      throw new Error(`RecordLine ${step.line}: the record has fewer draws than the exchange makes.`);
    this.#inputs++;
    this.#compare(step, isLast);
  }

  /** Returns false when the draws ran out. */
  #give({ input, draws, line }: Step): boolean {
    try {
      if ('open' in input) this.#open(input, draws);
      else if (!this.#exchange) throw new Error(`RecordLine ${line}: a record must begin with an "open" line.`);
      else {
        this.#draws = draws;
        if ('command' in input) this.#exchange.handle(input.command, input.at);
        else if ('tick' in input) this.#exchange.tick(input.at);
        else this.#exchange.latchQuotes(input.at);
      }
      return true;
    } catch (error) {
      if (error instanceof NoDrawLeft) return false;
      throw error;
    }
  }

  #open({ open }: Extract<RecordedInput, { open: unknown }>, draws: number[]): void {
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
      this.#onEvent(event);
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

/** Null for a line that is not part of a record. */
function lineFrom(text: string): RecordLine | null {
  try {
    const line = JSON.parse(text);
    return ['open', 'command', 'tick', 'turn', 'draw', 'event'].some((key) => key in line) ? line : null;
  } catch {
    return null;
  }
}
