/**
 * The operations that are described and not built yet. Each answers 501 not_built, after all the checks that the built
 * ones make. This list only ever gets shorter: an operation is taken off it by the issue that gives it a handler.
 */
import { Fault } from '#base/fault.ts';
import type { OperationId } from '#generated/operations.ts';
import type { Handlers } from './handlers.ts';

export const pendingOperations = [
] as const satisfies readonly OperationId[];

/** An operation that answers 501. */
export type PendingOperation = (typeof pendingOperations)[number];

/** A handler for every operation: the built ones, and 501 for the rest. */
export function completeHandlers(built: Handlers<PendingOperation>): Handlers {
  const pending = Object.fromEntries(pendingOperations.map((operationId) => [operationId, notBuilt(operationId)]));
  return { ...built, ...(pending as Record<PendingOperation, ReturnType<typeof notBuilt>>) };
}

function notBuilt(operationId: PendingOperation): () => never {
  return () => {
    throw new Fault('not_built', { message: `${operationId} is part of the interface and is not built yet.` });
  };
}
