/**
 * The events of a generation as they came, so that a stream of them can be sent again, frame by frame. A stored result
 * has their text already; what it needs besides is the **cadence**: where one event ended and the next began. It costs
 * about one byte per token. docs/decisions/0058.
 */
import { type Generation, type GenerationEvent, opened } from './generation.ts';

/** Where the caller's own stream had a keepalive that is an event with a number: docs/decisions/0058. */
export interface Progress {
  readonly type: 'progress';
}

/** An event; or null where a batch began whose first event must not be joined with the one before. */
export type LogEntry = GenerationEvent | Progress | null;

/** What a stored result keeps of the stream of its order. */
export interface StreamRecord {
  readonly cadence: string;
  /** What the request asked to be repeated, as its wire shape knows it, in JSON; null when that is not known any more. */
  readonly echo: string | null;
  /** Whether a gateway ended while the order ran, so that it ran again and numbers of the first run mean nothing. */
  readonly restarted: boolean;
}

/** Adds a batch to the entries. Only logprobs that come alone depend on where their batch began. */
export function addBatch(entries: LogEntry[], batch: readonly GenerationEvent[]): void {
  if (batch[0]?.type === 'logprobs' && entries.length > 0) entries.push(null);
  for (const event of batch) entries.push(event);
}

/** How many entries are read at once. */
export const PAGE_ENTRIES = 256;

/** The next entries from `from` on; empty when there are no more. Logprobs stay with the text that they came with. */
export function nextEntries(entries: readonly LogEntry[], from: number): readonly LogEntry[] {
  let to = Math.min(from + PAGE_ENTRIES, entries.length);
  while (entries[to]?.type === 'logprobs') to++;
  return entries.slice(from, to);
}

/** The entries as batches for an encoder, which renders them as it rendered those that came. */
export function batchesOf(entries: readonly LogEntry[]): (GenerationEvent[] | 'progress')[] {
  const batches: (GenerationEvent[] | 'progress')[] = [];
  let open: GenerationEvent[] | null = null;
  for (const entry of entries) {
    if (entry === null) open = null;
    else if (entry.type === 'progress') {
      open = null;
      batches.push('progress');
    } else if (open) open.push(entry);
    else {
      open = [entry];
      batches.push(open);
    }
  }
  return batches;
}

/** Kinds of entries: a kind stays until another is named. Numbers are `digits`. */
const TEXT = 'T';
const REASONING = 'R';
const ARGUMENTS = 'A';
const LOGPROBS = 'L';
const CALL = 'C';
const BREAK = 'X';
const PROGRESS = 'P';
/** Begins a number of two digits or more, which ends with a full stop. */
const LONG = 'z';

/** Numbers up to 34 are one digit of base 36. */
function digits(number: number): string {
  return number < 35 ? number.toString(36) : `${LONG}${number.toString(36)}.`;
}

/** The cadence of the entries. The finish has no form: every encoder takes it from the answer. */
export function cadenceOf(entries: readonly LogEntry[]): string {
  let text = '';
  let kind = '';
  const enter = (next: string) => {
    if (kind !== next) text += next;
    kind = next;
  };
  for (const entry of entries) {
    if (entry === null) text += BREAK;
    else if (entry.type === 'progress') text += PROGRESS;
    else if (entry.type === 'text-delta' || entry.type === 'reasoning-delta') {
      enter(entry.type === 'text-delta' ? TEXT : REASONING);
      text += digits(entry.text.length);
    } else if (entry.type === 'tool-call') {
      enter(CALL);
      text += digits(entry.index);
    } else if (entry.type === 'tool-arguments-delta') {
      enter(ARGUMENTS + digits(entry.index));
      text += digits(entry.fragment.length);
    } else if (entry.type === 'logprobs') {
      enter(LOGPROBS);
      text += digits(entry.content.length);
    }
  }
  return text;
}

/** The entries of a whole answer again. Throws when the cadence is not one of this answer: the text was damaged. */
export function* entriesOf(generation: Generation, cadence: string): Generator<LogEntry, void> {
  const reader = new CadenceReader(cadence);
  const content = new ContentReader(generation);
  let kind = '';
  let call = 0;
  while (!reader.ended) {
    const letter = reader.letter();
    if (letter === BREAK || letter === PROGRESS) {
      yield letter === BREAK ? null : { type: 'progress' };
      continue;
    }
    if (letter !== null) {
      kind = letter;
      if (kind === ARGUMENTS) call = reader.number();
    }
    yield content.next(kind, reader.number(), call);
  }
  content.checkRead();
}

/** Reads letters and numbers. */
class CadenceReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next letter; null before a number. */
  letter(): string | null {
    const next = this.#text.charAt(this.#at);
    if (next < 'A' || next > 'Z') return null;
    this.#at++;
    return next;
  }

  number(): number {
    const first = this.#text.charAt(this.#at++);
    if (first !== LONG) return checked(Number.parseInt(first, 36));
    const end = this.#text.indexOf('.', this.#at);
    const number = Number.parseInt(this.#text.slice(this.#at, end), 36);
    this.#at = end + 1;
    return checked(end < 0 ? Number.NaN : number);
  }
}

/** Takes an answer apart again. */
class ContentReader {
  readonly #generation: Generation;
  readonly #read = { text: 0, reasoning: 0, logprobs: 0 };
  readonly #arguments: number[] = [];

  constructor(generation: Generation) {
    this.#generation = generation;
  }

  next(kind: string, number: number, call: number): GenerationEvent {
    switch (kind) {
      case TEXT:
        return { type: 'text-delta', text: this.#take('text', number) };
      case REASONING:
        return { type: 'reasoning-delta', text: this.#take('reasoning', number) };
      case LOGPROBS: {
        const from = this.#read.logprobs;
        this.#read.logprobs += number;
        return { type: 'logprobs', content: (this.#generation.logprobs ?? []).slice(from, this.#read.logprobs) };
      }
      case CALL: {
        return { type: 'tool-call', index: number, ...opened(this.#call(number)) };
      }
      case ARGUMENTS: {
        const from = this.#arguments[call] ?? 0;
        this.#arguments[call] = from + number;
        const fragment = this.#call(call).arguments.slice(from, from + number);
        return { type: 'tool-arguments-delta', index: call, fragment };
      }
      default:
        throw damaged();
    }
  }

  /** Throws unless everything was taken, and no more. */
  checkRead(): void {
    const { text, reasoning, logprobs, toolCalls } = this.#generation;
    const { text: ofText, reasoning: ofReasoning, logprobs: ofLogprobs } = this.#read;
    const isWhole =
      ofText === text.length && ofReasoning === reasoning.length && ofLogprobs === (logprobs?.length ?? 0);
    if (isWhole && toolCalls.every((call, index) => call.arguments.length === (this.#arguments[index] ?? 0))) return;
    throw damaged();
  }

  #take(field: 'text' | 'reasoning', length: number): string {
    const from = this.#read[field];
    this.#read[field] += length;
    return this.#generation[field].slice(from, from + length);
  }

  #call(index: number): Generation['toolCalls'][number] {
    const call = this.#generation.toolCalls[index];
    if (!call) throw damaged();
    return call;
  }
}

function checked(number: number): number {
  if (Number.isNaN(number)) throw damaged();
  return number;
}

function damaged(): Error {
  return new Error('the cadence of a stored result does not fit its answer');
}

/** The bytes that a shape writes around a token, at least; Responses writes twice as many. */
const FRAME_BYTES = 100;
/** An event in memory, without its text. */
const ENTRY_BYTES = 50;
/** An entry of logprobs without alternatives, as an object and as JSON. */
const LOGPROB_BYTES = 200;

/** About how many bytes. */
interface EventSizes {
  /** The bytes needed to write all of it, for the download allowance. */
  readonly told: number;
  /** To keep its events. */
  readonly kept: number;
  /** The texts alone. */
  readonly texts: number;
}

/** The sizes of a stream that repeats `echoBytes` of its request. Walks over all of it. */
export function sizesOf(entries: Iterable<LogEntry>, echoBytes: number): EventSizes {
  let told = echoBytes;
  let texts = 0;
  let count = 0;
  for (const entry of entries) {
    count++;
    told += FRAME_BYTES;
    // Such an event repeats the request and the output so far.
    if (entry?.type === 'progress') told += echoBytes + texts;
    else if (entry) texts += textBytes(entry);
  }
  return { told: told + texts, kept: count * ENTRY_BYTES + texts, texts };
}

function textBytes(entry: Exclude<LogEntry, null>): number {
  switch (entry.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return entry.text.length;
    case 'tool-arguments-delta':
      return entry.fragment.length;
    case 'logprobs':
      return entry.content.length * LOGPROB_BYTES;
    default:
      return 0;
  }
}
