import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { UnreadBytes } from './event-stream.ts';

const KIB = 1024;

/** A reply with `writableLength` unread bytes. */
class Reply extends EventEmitter {
  writableLength: number;
  destroyed = false;

  constructor(unread: number) {
    super();
    this.writableLength = unread;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function of(bytesMax: number) {
  const unread = new UnreadBytes(bytesMax, silentLog);
  const note = (reply: Reply, held?: number) => unread.note(reply as unknown as ServerResponse, held);
  const behind = (bytes: number) => {
    const reply = new Reply(bytes);
    note(reply);
    return reply;
  };
  return { unread, note, behind };
}

test('beyond the budget those are cut off who have been behind the longest', () => {
  const { unread, behind } = of(1000 * KIB);
  const [first, second, third] = [behind(300 * KIB), behind(600 * KIB), behind(500 * KIB)];
  assert.deepEqual([first.destroyed, second.destroyed, third.destroyed], [true, true, false]);
  assert.equal(unread.total, 500 * KIB);
});

test('who has caught up, or has read a part, is spared', () => {
  const { note, behind, unread } = of(1000 * KIB);
  const [reader, slow, late] = [behind(400 * KIB), behind(300 * KIB), behind(200 * KIB)];
  reader.writableLength = 0;
  reader.emit('drain');
  assert.equal(unread.total, 500 * KIB);
  slow.writableLength = 100 * KIB;
  late.writableLength = 800 * KIB;
  note(late);
  assert.deepEqual([slow.destroyed, late.destroyed, unread.total], [false, false, 900 * KIB]);
  reader.writableLength = 200 * KIB;
  note(reader);
  // The reader fell behind again, after the others.
  assert.deepEqual([slow.destroyed, late.destroyed, reader.destroyed], [true, false, false]);
});

test('what is kept for a caller who is behind counts like what is unread', () => {
  const { note, behind, unread } = of(1000 * KIB);
  const [follower, other] = [new Reply(10 * KIB), behind(300 * KIB)];
  note(follower, 600 * KIB);
  assert.equal(unread.total, 910 * KIB);
  follower.emit('drain');
  assert.equal(unread.total, 300 * KIB);
  note(follower, 800 * KIB);
  assert.deepEqual([other.destroyed, follower.destroyed, unread.total], [true, false, 810 * KIB]);
});

test('a reply that is over counts no more, and leaves no listeners', () => {
  const { unread, behind } = of(1000 * KIB);
  const ended = behind(200 * KIB);
  ended.emit('finish');
  const left = behind(200 * KIB);
  left.destroy();
  assert.deepEqual([unread.total, ended.eventNames(), left.eventNames()], [0, [], []]);
});

test('what a connection costs anyway is not counted', () => {
  const { unread, behind } = of(KIB);
  assert.equal(behind(64 * KIB).destroyed, false);
  assert.equal(unread.total, 0);
});

test('one reply above the whole budget is cut off', () => {
  assert.equal(of(100 * KIB).behind(200 * KIB).destroyed, true);
});
