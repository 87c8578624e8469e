/**
 * A stream may repeat the same bytes in many of its events, such as instructions of eight megabytes. They are made once
 * and never copied: a text has a mark in their place, and the writer to a socket writes the bytes there.
 */

/** Stands for the bytes. JSON and event streams never contain this character, whatever a caller or a model says. */
export const REPEATED = '\0';

const FRAME_END = '\n\n';

/** What is to be written for `text`, in order. */
export function piecesOf(text: string, repeated: Uint8Array): (string | Uint8Array)[] {
  return text.split(REPEATED).flatMap((piece, index) => (index === 0 ? [piece] : [repeated, piece]));
}

/** Frames of an event stream in parts of whole frames, each with one mark at most. */
export function* partsOf(frames: string): Generator<string> {
  let from = 0;
  for (let mark = frames.indexOf(REPEATED); mark !== -1; mark = frames.indexOf(REPEATED, from)) {
    const end = frames.indexOf(FRAME_END, mark);
    if (end === -1) break;
    yield frames.slice(from, end + FRAME_END.length);
    from = end + FRAME_END.length;
  }
  if (from < frames.length) yield frames.slice(from);
}
