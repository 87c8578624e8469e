/**
 * Splits a body of server-sent events for the stream checkers, and is stricter than any client: a line is a comment, an
 * event name, or data; a frame has one line of data and one empty line after it; nothing comes within a frame.
 */
import assert from 'node:assert/strict';

/** Receives what was read. */
export interface SseListener {
  /** `event` is null for a frame without a name. */
  frame(event: string | null, data: string): void;
  comment(text: string): void;
}

/** Takes a body in pieces cut anywhere; throws an AssertionError at the first violation. */
export class SseReader {
  readonly #listener: SseListener;
  #rest = '';
  #event: string | null = null;
  #data: string | null = null;

  constructor(listener: SseListener) {
    this.#listener = listener;
  }

  /** The next piece of the body. */
  push(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  /** Ends the body. Throws when it ends within a frame. */
  end(): void {
    assert.equal(this.#rest, '', 'the body ends within a line');
    assert.equal(this.#event ?? this.#data, null, 'the body ends within a frame');
  }

  #line(line: string): void {
    if (line.startsWith(': ')) {
      assert.equal(this.#event ?? this.#data, null, 'a comment comes within a frame');
      this.#listener.comment(line.slice(2));
    } else if (line.startsWith('event: ')) {
      assert.equal(this.#event ?? this.#data, null, 'the event name is not the first line of its frame');
      this.#event = line.slice('event: '.length);
    } else if (line.startsWith('data: ')) {
      assert.equal(this.#data, null, 'a frame has two lines of data');
      this.#data = line.slice('data: '.length);
    } else {
      assert.equal(line, '', `a line is neither comment, event nor data: ${line}`);
      assert.ok(this.#data !== null, 'an empty line ends no frame, which some clients read as an empty event');
      const [event, data] = [this.#event, this.#data];
      this.#event = this.#data = null;
      this.#listener.frame(event, data);
    }
  }
}
