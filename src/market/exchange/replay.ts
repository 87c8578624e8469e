/**
 * Replays a record on a new exchange, line by line, and compares the events with the recorded ones, character by
 * character. Before that, each line must follow from the one before (`recording.ts`). A record can end anywhere, for
 * example when a process was killed. The events of its last input are compared only as far as the record goes.
 */
import type { Random } from '#base/random.ts';
import type { ExchangeEvent } from '../ports.ts';
import { Exchange } from './exchange.ts';
import { ChainReader, hashIn, type Opened, RECORD_FORMAT, type RecordedInput, type RecordLine } from './recording.ts';

const LINE_FEED = 10;
/** The longest line is the first; it grows with the number of markets. */
const LINE_BYTES_MAX = 64 * 2 ** 20;

/** The progress of a replay. */
export interface ReplayOutcome {
  /** The number of lines that follow from each other, from the first, and the hash of the last of them. */
  readonly lines: number;
  readonly hash: string;
  /** The last hash of the record before, as noted in this one; null for none. */
  readonly after: string | null;
  /** The first line that does not follow from the one before: it was changed, or lines before it were. Null for none. */
  readonly brokenLine: number | null;
  /**
   * Whether the record ends in the middle of a line, as after a kill. Such a line proves nothing and is not replayed.
   */
  readonly cutOff: boolean;
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
  readonly #chain = new ChainReader();
  #after: string | null = null;
  #lines = 0;
  #brokenLine: number | null = null;
  /** What was read after the last line end. */
  #rest: Uint8Array = new Uint8Array();
  #inputs = 0;
  #difference: ReplayOutcome['difference'] = null;

  constructor(onEvent: (event: ExchangeEvent) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  /** Reads on, from the bytes of a file. Lines end with a line feed and nothing else. Throws like `take`. */
  read(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.take(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > LINE_BYTES_MAX) throw new Error('it has a line that is too long for a record.');
  }

  /** Takes the next line, without its line end. Throws an Error if it is not a record, or has another format. */
  take(line: string | Uint8Array): void {
    if (this.#brokenLine !== null) return;
    const bytes = Buffer.from(line);
    const json = this.#chain.open(bytes);
    if (json === null) {
      if (this.#lines === 0) refuseOthers(bytes.toString());
      this.#brokenLine = this.#lines + 1;
    } else {
      this.#lines++;
      const opened = JSON.parse(json);
      if (!['open', 'command', 'tick', 'turn', 'draw', 'event'].some((key) => key in opened))
        throw new Error(`Line ${this.#lines} is not part of an exchange record.`);
      this.#takeOpened(opened);
    }
  }

  /**
   * Call it at the end. A last line without a line end was cut off, if it has no hash; with one it must follow like any
   * other. Throws Error when the record is empty.
   */
  end(): ReplayOutcome {
    const isCutOff = this.#rest.length > 0 && hashIn(Buffer.from(this.#rest).toString('latin1')) === null;
    if (this.#rest.length > 0 && !isCutOff) this.take(this.#rest);
    this.#run(true);
    if (this.#inputs === 0 && this.#brokenLine === null) throw new Error('the exchange record is empty.');
    const chain = { lines: this.#lines, hash: this.#chain.hash, after: this.#after };
    const ending = { brokenLine: this.#brokenLine, cutOff: isCutOff && this.#brokenLine === null };
    return { ...chain, ...ending, inputs: this.#inputs, events: this.#events, difference: this.#difference };
  }

  #takeOpened(line: RecordLine): void {
    if ('draw' in line) this.#step?.draws.push(line.draw);
    else if ('event' in line) this.#step?.events.push(JSON.stringify(line.event));
    else {
      this.#run(false);
      this.#step = { line: this.#lines, input: line, draws: [], events: [] };
    }
  }

  #run(isLast: boolean): void {
    const step = this.#step;
    if (!step || this.#difference) return;
    this.#replayed = [];
    const isWhole = this.#give(step);
    if (!isWhole && !isLast) throw new Error(`Line ${step.line}: the record has fewer draws than the exchange makes.`);
    this.#inputs++;
    this.#compare(step, isLast);
  }

  /** Returns false when the draws ran out. */
  #give({ input, draws, line }: Step): boolean {
    try {
      if ('open' in input) this.#open(input, draws);
      else if (!this.#exchange) throw new Error(`Line ${line}: a record must begin with an "open" line.`);
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

  #open({ open, format, after }: Opened, draws: number[]): void {
    if (format !== RECORD_FORMAT) {
      const reader = '`sluice replay` of the version that wrote it reads it';
      throw new Error(`it has format ${format}, and this version reads ${RECORD_FORMAT}; ${reader}.`);
    }
    this.#after = after;
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

/** Throws Error for a first line of something else: of a record from before there were chains, or of no record. */
function refuseOthers(line: string): void {
  if (!line.startsWith('{"open":')) {
    if (hashIn(line) === null) throw new Error('Line 1 is not the first line of an exchange record.');
  } else if (hashIn(line) === null && isUnchained(line)) {
    throw new Error(
      'it is a record without hashes, as version 0.1.0 wrote it; `sluice replay` of that version reads it.',
    );
  }
}

function isUnchained(line: string): boolean {
  try {
    return !('format' in JSON.parse(line));
  } catch {
    return false;
  }
}
