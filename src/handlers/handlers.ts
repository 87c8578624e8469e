/**
 * The table of handlers, typed by the operations table: a missing handler, a handler for an operation that is not in
 * the document, or a handler that expects a principal on an open operation, or a form where none is taken, fails the type check.
 */
import type { OperationId, operations } from '#generated/operations.ts';
import type { FormHandler, OpenHandler, SecuredHandler } from './call.ts';

/** The handler that an operation needs: one with a principal, unless the operation is open to everyone. */
export type HandlerFor<Id extends OperationId> = (typeof operations)[Id]['security'] extends 'open'
  ? OpenHandler
  : (typeof operations)[Id]['body'] extends 'multipart'
    ? FormHandler
    : SecuredHandler;

/** A handler for every operation. */
export type Handlers = { readonly [Id in OperationId]: HandlerFor<Id> };
