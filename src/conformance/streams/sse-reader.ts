/**
 * Splits a body of server-sent events for the stream checkers, and is stricter than any client: a line is a comment, an
 * event name, or data; a frame has one line of data and one empty line after it; nothing comes within a frame.
 */
import assert from 'node:assert/strict';

/** Receives what was read. */
export interface SseListener {
  /** `event` is null for a frame without a name. */
  frame(event: string | null, data: string): void;
  comment(): void;
}

/** Reads a whole body. Throws an AssertionError at the first violation, also when the body ends within a frame. */
export function readSse(body: string, listener: SseListener): void {
  const lines = body.split('\n');
  const rest = lines.pop();
  let event: string | null = null;
  let data: string | null = null;
  for (const line of lines) {
    if (line.startsWith(': ')) {
      assert.equal(event ?? data, null, 'a comment comes within a frame');
      listener.comment();
    } else if (line.startsWith('event: ')) {
      assert.equal(event ?? data, null, 'the event name is not the first line of its frame');
      event = line.slice('event: '.length);
    } else if (line.startsWith('data: ')) {
      assert.equal(data, null, 'a frame has two lines of data');
      data = line.slice('data: '.length);
    } else {
      assert.equal(line, '', `a line is neither comment, event nor data: ${line}`);
      assert.ok(data !== null, 'an empty line ends no frame, which some clients read as an empty event');
      listener.frame(event, data);
      event = data = null;
    }
  }
  assert.equal(rest, '', 'the body ends within a line');
  assert.equal(event ?? data, null, 'the body ends within a frame');
}
