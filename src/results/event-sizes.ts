/** What the events of a stream cost: bytes that are written to tell them, and memory that keeps them. */
import type { LogEntry } from './event-log.ts';

/** What a shape writes around a token, at least; Responses twice as much. */
const FRAME_BYTES = 100;
/** An event in memory, without its text. */
const ENTRY_BYTES = 50;
/** An entry of logprobs without alternatives, as an object and as JSON. */
const LOGPROB_BYTES = 200;

/** About how many bytes. */
export interface EventSizes {
  /** To write all of it, for the download allowance. */
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
    // It repeats the request and what has been written so far.
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
