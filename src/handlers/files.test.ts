import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { reaches } from '#base/reach.ts';
import type { FileRow } from '#batches/file.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { principalWith } from '#testing/principals.ts';
import { filesHandlers } from './files.ts';

const ID = `file-${'a'.repeat(32)}`;
const call = testCall<'getFile' | 'getFileContent' | 'deleteFile'>('getFile', { params: { id: ID } });

/** Handlers over one file, and what happened to it, in order. */
function fixture(more: Partial<FileRow> = {}, trouble: { inUse?: boolean; diskFails?: boolean; spent?: boolean } = {}) {
  const clock = new ManualClock();
  const done: string[] = [];
  let row: FileRow | null = {
    ...{ id: ID, accountId: 'acc_1', keyId: 'key_1', purpose: 'batch', filename: 'in.jsonl', bytes: 8 },
    ...{ createdAtMs: clock.nowMs() + 999, expiresAtMs: clock.nowMs() + 5000, contentGone: false },
    ...more,
  };
  const handlers = filesHandlers({
    clock,
    log: silentLog,
    files: {
      find: async (reach, id) => (row && reaches(reach, row) && row.id === id ? row : null),
      list: async (_reach, { limit }) => (row ? Array.from({ length: Math.min(limit, 2) }, () => row as FileRow) : []),
      async remove() {
        done.push('row');
        const existed = row !== null;
        row = null;
        return existed;
      },
    },
    contents: {
      async *read(id, range) {
        yield Buffer.from(`${id.length} ${range?.end}`);
      },
      async delete() {
        if (trouble.diskFails) throw new Error('the disk');
        done.push('content');
      },
    },
    batchFiles: { inputsAmong: async (ids) => new Set(trouble.inUse ? ids : []) },
    downloads: {
      async begin({ headersOnly }, accountId, bytes) {
        if (headersOnly) return;
        if (trouble.spent) throw new Fault('rate_limit_error', { retryAfterS: 9 });
        done.push(`${accountId} takes ${bytes}`);
      },
    },
  });
  return { handlers, done, clock };
}

test('a file has times in whole seconds, and no internal fields', async () => {
  const { handlers, clock } = fixture();
  const nowS = clock.nowMs() / 1000;
  assert.deepEqual(jsonOf(await handlers.getFile(call)), {
    ...{ id: ID, object: 'file', bytes: 8, created_at: nowS, expires_at: nowS + 5 },
    ...{ filename: 'in.jsonl', purpose: 'batch', status: 'processed' },
  });
});

test('has_more is true exactly when the page is full', async () => {
  const { handlers } = fixture();
  const hasMore = async (limit: string) =>
    (jsonOf(await handlers.listFiles(testCall('listFiles', { query: { limit } }))) as { has_more: boolean }).has_more;
  assert.deepEqual([await hasMore('1'), await hasMore('2'), await hasMore('3')], [true, true, false]);
});

test('content is read up to the size of the file, and counted as a download before it is sent', async () => {
  const { handlers, done } = fixture();
  const reply = await handlers.getFileContent(call);
  assert.ok('bytes' in reply);
  assert.deepEqual([reply.length, done], [8, ['acc_1 takes 8']]);
  assert.equal(String((await Array.fromAsync(reply.bytes))[0]), `${ID.length} 8`);
});

test('a request for the headers alone is no download, and needs no allowance', async () => {
  const { handlers, done } = fixture({}, { spent: true });
  const reply = await handlers.getFileContent({ ...call, headersOnly: true });
  assert.ok('bytes' in reply);
  assert.deepEqual([reply.length, done], [8, []]);
});

test('content is readable until the millisecond before its expiry', async () => {
  const { handlers, clock, done } = fixture();
  await clock.advance(4999);
  await handlers.getFileContent(call);
  await clock.advance(1);
  await assert.rejects(async () => handlers.getFileContent(call), { code: 'result_unavailable', status: 410 });
  assert.equal(done.length, 1);
  assert.ok(jsonOf(await handlers.getFile(call)));
});

test('deleted content is 410 while the row stays, whatever its expiry', async () => {
  const { handlers } = fixture({ contentGone: true });
  await assert.rejects(async () => handlers.getFileContent(call), { code: 'result_unavailable' });
});

test('a used-up download allowance is refused before anything is read', async () => {
  const { handlers } = fixture({}, { spent: true });
  await assert.rejects(async () => handlers.getFileContent(call), { code: 'rate_limit_error', retryAfterS: 9 });
});

test('a delete removes the row first, then the content', async () => {
  const { handlers, done } = fixture();
  assert.deepEqual(jsonOf(await handlers.deleteFile(call)), { id: ID, object: 'file', deleted: true });
  assert.deepEqual(done, ['row', 'content']);
  await assert.rejects(async () => handlers.deleteFile(call), { code: 'not_found' });
});

test('the input of an active batch is not deleted', async () => {
  const { handlers, done } = fixture({}, { inUse: true });
  await assert.rejects(async () => handlers.deleteFile(call), { code: 'file_in_use', status: 409 });
  assert.deepEqual(done, []);
});

test('a file is deleted with its row, even if its content stays on the disk until the next start', async () => {
  const { handlers } = fixture({}, { diskFails: true });
  assert.ok(jsonOf(await handlers.deleteFile(call)));
});

test('the file of another account is not found', async () => {
  const { handlers } = fixture({ accountId: 'acc_2' });
  for (const name of ['getFile', 'getFileContent', 'deleteFile'] as const) {
    await assert.rejects(async () => handlers[name](call), { code: 'not_found' });
  }
});

test('one account that reads slowly takes half of the contents that are read at once', async () => {
  const { handlers } = fixture();
  const open = async (id: string) => {
    const reply = await handlers.getFileContent({ ...call, principal: principalWith({ account: { id } }) });
    assert.ok('bytes' in reply);
    const pieces = reply.bytes[Symbol.asyncIterator]();
    await pieces.next();
    return pieces;
  };
  const first = await open('acc_1');
  for (let opened = 1; opened < 128; opened++) await open('acc_1');
  await assert.rejects(open('acc_1'), { code: 'rate_limit_error', retryAfterS: 10 });
  await first.return?.();
  await open('acc_1');
});
