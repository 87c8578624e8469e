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
  const open = new OpenLine(bytesMax);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      open.add(chunk.subarray(start, end));
      const line = open.close();
      if (line) yield line;
      start = end + 1;
    }
    open.add(chunk.subarray(start));
  }
  const last = open.close();
  if (last) yield last;
}

/** The line that is being read. */
class OpenLine {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #number = 1;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds bytes to the line. They are not copied: their owner must not reuse them. */
  add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > this.#bytesMax) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }

  /** Returns the whole line, or null for a blank one, and begins the next. */
  close(): InputLine | null {
    const number = this.#number++;
    const tooLong = this.#length > this.#bytesMax;
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (tooLong) return { number, bytes: null };
    const text = number === 1 ? withoutMark(bytes) : bytes;
    return text.every((byte) => BLANK.has(byte)) ? null : { number, bytes: text };
  }
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  const marked = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
  return marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
