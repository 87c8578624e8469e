import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamReader } from './event-stream.ts';
import { BackendFault } from './malformed.ts';

function read(...pieces: (string | Buffer)[]): string[] {
  const events: string[] = [];
  const reader = new EventStreamReader((data) => events.push(data));
  for (const piece of pieces) reader.feed(Buffer.from(piece as string));
  reader.end();
  return events;
}

test('an event may end in LF, CRLF or CR, with or without a space after the colon', () => {
  assert.deepEqual(read('data: a\n\ndata:b\r\n\r\ndata: c\r\r'), ['a', 'b', 'c']);
});

test('a character may be split between two arrivals', () => {
  const bytes = Buffer.from('data: 🌊\n\n');
  assert.deepEqual(read(bytes.subarray(0, 8), bytes.subarray(8)), ['🌊']);
});

test('invalid UTF-8 becomes replacement characters and has no other effect', () => {
  assert.deepEqual(read(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x41, 0x0a, 0x0a])), ['\ufffdA']);
});

test('comments and unknown fields are ignored', () => {
  assert.deepEqual(read(': ping\n\nevent: x\nid: 2\nretry: 3\nfoo: bar\ndata: a\n\n'), ['a']);
});

test('an event of several hundred kilobytes arrives complete, even in small pieces', () => {
  const data = 'x'.repeat(300_000);
  const pieces = `data: ${data}\n\n`.match(/.{1,1000}/gs) ?? [];
  assert.deepEqual(read(...pieces), [data]);
});

test('an event without its last line end is emitted at the end of the stream', () => {
  assert.deepEqual(read('data: a'), ['a']);
});

test('an error under its own field name is a fault', () => {
  assert.throws(() => read('error: {"code":500}\n\n'), BackendFault);
});

test('an endless event is a fault before it fills the memory', () => {
  const reader = new EventStreamReader(() => {});
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  assert.throws(() => {
    reader.feed(Buffer.from('data: '));
    for (let count = 0; count < 20; count++) reader.feed(megabyte);
  }, BackendFault);
});
