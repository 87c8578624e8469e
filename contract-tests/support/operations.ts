/**
 * The operations of both interface documents, as one table: what watches and checks answers treats them alike. Tests of
 * one document import that document's own table.
 */
import { operations as consoleOperations } from '#generated/console-api/operations.ts';
import { responseBodies as consoleBodies } from '#generated/console-api/response-validators.js';
import type { operations as ConsoleWire } from '#generated/console-api/types.ts';
import { operations as publicOperations } from '#generated/operations.ts';
import { responseBodies as publicBodies } from '#generated/response-validators.js';
import type { operations as PublicWire } from '#generated/types.ts';
import type { Validator } from '#generated/validators.js';

/** Every operation by its id; the two documents have none in common. */
export const operations = { ...publicOperations, ...consoleOperations };
export type OperationId = keyof typeof operations;
/** Requests and answers as types. */
export type Wire = PublicWire & ConsoleWire;

/** Validators of bodies, by operation and status. */
export const responseBodies: Readonly<Record<string, Validator<unknown>>> = { ...publicBodies, ...consoleBodies };

/** What an address needs to be found. */
export type Addresses = Readonly<Record<string, { readonly method: string; readonly path: string }>>;

/** Whether errors on this path are problem documents, and no page of another site may read an answer. */
export function isConsolePath(path: string): boolean {
  return (
    /^\/(settings|console)\/api(\/|$)/.test(path) ||
    /^\/(console\/openapi\.json|settings\/sign-in|payments\/)/.test(path)
  );
}
