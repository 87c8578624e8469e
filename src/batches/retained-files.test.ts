import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileRow } from './file.ts';
import { retainedFiles } from './retained-files.ts';

function row(id: string): FileRow {
  const times = { createdAtMs: Number(id), expiresAtMs: Number(id) };
  return {
    id,
    accountId: 'a',
    keyId: null,
    purpose: 'batch',
    filename: 'in.jsonl',
    bytes: 7,
    contentGone: false,
    ...times,
  };
}

/** Ten files, some of them the input of an active batch, and what happened to them, in order. */
function tenFiles(inputs: readonly string[]) {
  const rows = Array.from({ length: 10 }, (_, at) => row(`${at}`));
  const done: string[] = [];
  const page = async ({ limit, after }: { limit: number; after: FileRow | null }) => {
    const start = after ? rows.indexOf(after) + 1 : 0;
    return rows.slice(start, start + limit);
  };
  const retained = retainedFiles({
    index: {
      expired: (_nowMs, asked) => page(asked),
      oldest: (_accountId, asked) => page(asked),
      newest: async (_accountId, { limit, after }) =>
        rows
          .toReversed()
          .filter(({ id }) => after === null || id < after.id)
          .slice(0, limit),
    },
    files: {
      async markGone(accountId, id) {
        done.push(`row ${accountId} ${id}`);
        return !inputs.includes(id);
      },
    },
    contents: { delete: async (id) => void done.push(`content ${id}`) },
    batchFiles: { inputsAmong: async (ids) => new Set(ids.filter((id) => inputs.includes(id))) },
  });
  return { retained, done };
}

test('the row of a file is marked first, and its content is deleted then', async () => {
  const { retained, done } = tenFiles([]);
  const [first] = await retained.oldest('a', 1);
  assert.deepEqual(first, { id: '0', accountId: 'a', keyId: null, bytes: 7, sinceMs: 0 });
  if (first) await retained.remove(first);
  assert.deepEqual(done, ['row a 0', 'content 0']);
});

test('inputs of active batches are skipped, however many pages that takes', async () => {
  const { retained } = tenFiles(['0', '1', '2', '3', '4', '6']);
  const ids = async (items: Promise<{ id: string }[]>) => (await items).map(({ id }) => id);
  assert.deepEqual(await ids(retained.expired(99, 2)), ['5', '7']);
  assert.deepEqual(await ids(retained.oldest('a', 3)), ['5', '7', '8']);
  assert.deepEqual(await ids(retained.oldest('a', 100)), ['5', '7', '8', '9']);
});

test('content stays when a batch began to use it after it was listed', async () => {
  const { retained, done } = tenFiles(['3']);
  await retained.remove({ id: '3', accountId: 'a', keyId: null, bytes: 7, sinceMs: 3 });
  assert.deepEqual(done, ['row a 3']);
});

test('nothing is found where every file is an input', async () => {
  const { retained } = tenFiles(Array.from({ length: 10 }, (_, at) => `${at}`));
  assert.deepEqual(await retained.expired(99, 5), []);
  assert.deepEqual(await retained.oldest('a', 100), []);
});

test('the newest are listed whether or not they may be deleted: they count', async () => {
  const { retained } = tenFiles(['8']);
  const first = await retained.newest('a', { limit: 2, after: null });
  const second = await retained.newest('a', { limit: 2, after: first.at(-1) ?? null });
  assert.deepEqual(
    [...first, ...second].map(({ id }) => id),
    ['9', '8', '7', '6'],
  );
});
