/**
 * The table of handlers, typed by the operations table. The type check finds a missing handler, a handler for an
 * unknown operation, and one that expects a principal on an open operation, or a form where none is taken.
 */
import type { OperationId, operations } from '#generated/operations.ts';
import type { FormHandler, OpenHandler, SecuredHandler } from './call.ts';

/** The handler type of an operation: it gets a principal unless the operation is open. */
export type HandlerFor<Id extends OperationId> = (typeof operations)[Id]['security'] extends 'open'
  ? OpenHandler
  : (typeof operations)[Id]['body'] extends 'multipart'
    ? FormHandler
    : SecuredHandler;

/** A handler for every operation. */
export type Handlers = { readonly [Id in OperationId]: HandlerFor<Id> };
