/**
 * Splits a JSONL file into its lines while it is read. At most one line is in memory, and nothing of a line that is too
 * long. A line ends with LF or CR LF; a byte order mark at the beginning of the file is not part of it; blank lines are
 * skipped, wherever they are, but counted in the numbers of the others.
 */

/** A line that is not blank. */
export interface InputLine {
  /** Its line number in the file, from 1. */
  readonly number: number;
  /** Without the line end; null when it is longer than a line may be. */
  readonly bytes: Uint8Array | null;
}

const LF = 10;
const BLANK = new Set([9, 13, 32]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The lines of `chunks`, of at most `bytesMax` each. */
export async function* inputLines(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let lines = 0;
  /** Adds bytes to the line that is being read. They are not copied: their owner must not reuse them. */
  const add = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > bytesMax) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  };
  /** Returns the whole line, or null for a blank one, and begins the next. */
  const close = (): InputLine | null => {
    const number = ++lines;
    const tooLong = length > bytesMax;
    const [first] = parts;
    const bytes = parts.length === 1 && first ? first : Buffer.concat(parts);
    parts = [];
    length = 0;
    if (tooLong) return { number, bytes: null };
    const isMarked = number === 1 && BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
    const text = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
    return text.every((byte) => BLANK.has(byte)) ? null : { number, bytes: text };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      const line = close();
      if (line) yield line;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  const last = close();
  if (last) yield last;
}
