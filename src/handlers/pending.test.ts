import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperationId, operations } from '#generated/operations.ts';
import type { FormCall } from './call.ts';
import type { Handlers } from './handlers.ts';
import { completeHandlers, type PendingOperation, pendingOperations } from './pending.ts';

const operationIds = Object.keys(operations) as OperationId[];
const call = {} as FormCall;

function builtHandlers(): Handlers<PendingOperation> {
  const pending: readonly string[] = pendingOperations;
  const built = operationIds.filter((id) => !pending.includes(id));
  const handlers: unknown = Object.fromEntries(built.map((id) => [id, () => ({ status: 200, json: id })]));
  return handlers as Handlers<PendingOperation>;
}

test('each pending operation is named once', () => {
  assert.equal(new Set(pendingOperations).size, pendingOperations.length);
});

test('pending operations answer 501, all others are left as they are', () => {
  const handlers = completeHandlers(builtHandlers());
  assert.deepEqual(Object.keys(handlers).sort(), [...operationIds].sort());
  const pending: readonly string[] = pendingOperations;
  for (const id of operationIds) {
    if (pending.includes(id)) assert.throws(() => handlers[id](call), { code: 'not_built', status: 501 }, id);
    else assert.deepEqual(handlers[id](call), { status: 200, json: id });
  }
});
