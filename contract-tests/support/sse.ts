/** Reads server-sent events as a client's library does, but keeps the comments that it would drop. */
import { createParser } from 'eventsource-parser';

/** One event as a client sees it; `event` is null for a frame without an event line. */
export interface Frame {
  readonly event: string | null;
  readonly data: string;
}

/** A stream so far. */
export interface ParsedStream {
  readonly frames: readonly Frame[];
  readonly comments: readonly string[];
}

/** Every whole frame and comment in `text`. */
export function parseStream(text: string): ParsedStream {
  const frames: Frame[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => void frames.push({ event: event ?? null, data }),
    onComment: (comment) => void comments.push(comment),
  });
  parser.feed(text);
  return { frames, comments };
}
