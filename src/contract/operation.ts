/**
 * What the interface documents say about one operation, as types: its parameters, its body and its replies. Everything
 * here comes from the generated types, so that a change of a document reaches every handler.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId as ConsoleId, operations as consoleOperations } from '#generated/console-api/operations.ts';
import type { queries as consoleQueries } from '#generated/console-api/queries.ts';
import type { operations as ConsoleTypes } from '#generated/console-api/types.ts';
import type { OperationId as PublicId, operations as publicOperations } from '#generated/operations.ts';
import type { queries as publicQueries } from '#generated/queries.ts';
import type { operations as PublicTypes } from '#generated/types.ts';

/** An operation of openapi.yaml, of openapi/console.yaml, and of either. */
export type { ConsoleId, PublicId };
export type AnyId = PublicId | ConsoleId;

type Types = PublicTypes & ConsoleTypes;
type Table = typeof publicOperations & typeof consoleOperations;
type Queries = typeof publicQueries & typeof consoleQueries;

/** The row of an operation in its table. */
export type RowOf<Id extends AnyId> = Table[Id];

/** The parameters of the path. */
export type ParamsOf<Id extends AnyId> = Types[Id]['parameters']['path'] extends infer Params extends object
  ? Params
  : Readonly<Record<never, string>>;

/** The query, each parameter as its reader returns it. */
export type QueryOf<Id extends AnyId> = Id extends keyof Queries
  ? ReturnType<Queries[Id]>
  : Readonly<Record<never, string>>;

/** The request headers; those of the document by lower-case name. Node joins the values of one that is sent twice. */
export type HeadersOf<Id extends AnyId> = IncomingHttpHeaders & {
  readonly [Name in keyof NonNullable<Types[Id]['parameters']['header']> as Lowercase<Name & string>]?: string;
};

/** The validated JSON body; the bytes of a signed event; undefined for an operation without a body. */
export type BodyOf<Id extends AnyId> = RowOf<Id>['limitClass'] extends 'webhook'
  ? Uint8Array
  : Types[Id] extends { readonly requestBody: { readonly content: { readonly 'application/json': infer Body } } }
    ? Body
    : undefined;

/** The documented statuses. */
export type StatusOf<Id extends AnyId> = keyof Types[Id]['responses'];

/** The media types of a reply, with the types of what they hold; never for a reply without a body. */
export type ContentOf<Id extends AnyId, Status extends StatusOf<Id>> = Types[Id]['responses'][Status] extends {
  readonly content: infer Content extends object;
}
  ? Content
  : never;
