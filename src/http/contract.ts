/**
 * What the server knows of the interface document: the operations table and the validators, both generated. Only the
 * table says which routes exist, which key each needs and which limit it counts against; an operation that is not in
 * it cannot be reached. `dispatch.ts` checks requests by them.
 */
import type { RateClass } from '#access/request-rates.ts';
import type { Access } from '#access/scopes.ts';
import type { KeyHeaders } from '#accounts/keys/authenticator.ts';
import type { QueryTexts } from '#contract/query.ts';
import type { Validator } from '#generated/validators.js';

/** What each kind of `security` in an operations table requires, in the words of the documents. */
export const REQUIREMENTS = {
  open: [],
  key: [{ bearerAuth: [] }],
  'key-or-header': [{ bearerAuth: [] }, { apiKeyHeader: [] }],
  session: [{ sessionCookie: [] }],
  'session-csrf': [{ sessionCookie: [], csrfToken: [] }],
  'session-or-token': [{ sessionCookie: [] }, { operatorToken: [] }],
  'session-csrf-or-token': [{ sessionCookie: [], csrfToken: [] }, { operatorToken: [] }],
} as const;

/** What dispatch uses of an operation. Parameters of `path` are in braces, `method` is in lower case. */
export interface DispatchEntry {
  readonly method: string;
  readonly path: string;
  readonly security: keyof typeof REQUIREMENTS;
}

/** An operations table and the validators of its JSON bodies, both by operationId. */
export interface DispatchContract<Entry> {
  readonly operations: Readonly<Record<string, Entry>>;
  /** An operation with a validator requires a body. */
  readonly requestBodies: Readonly<Record<string, Validator<unknown>>>;
  /** Readers of the queries, of those operations that have any. */
  readonly queries?: Readonly<Record<string, (texts: QueryTexts) => unknown>>;
}

/** An operation as handlers see it. */
export interface DispatchedOperation<Entry> {
  readonly operationId: string;
  readonly entry: Entry;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  /** Of its JSON body; null for an operation without one. */
  readonly validator: Validator<unknown> | null;
  /** Null for an operation without parameters in its query. */
  readonly readQuery: ((texts: QueryTexts) => unknown) | null;
}

/** A row of generated/operations.ts. */
export interface OperationEntry extends DispatchEntry {
  readonly security: 'open' | KeyHeaders;
  readonly limitClass: RateClass;
  /** What its key must be allowed. */
  readonly scope?: Access;
  /** The kind of body that the operation requires; null for none. */
  readonly body: 'json' | 'multipart' | null;
}

/** The tables of openapi.yaml; tests use smaller ones. */
export type Contract = DispatchContract<OperationEntry>;

/** Whether errors on this path have the Messages envelope, also at unknown addresses below /v1/messages. Spec 4.5. */
export function isMessagesPath(path: string): boolean {
  return path === '/v1/messages' || path.startsWith('/v1/messages/');
}

const DOCUMENTED = '/partner';
const DOCUMENTED_PATH = `${DOCUMENTED}/v1/models`;

/** The operations, with the partner catalog below `prefix`. A prefix begins with a slash and does not end with one. */
export function withPartnerPrefix(operations: Contract['operations'], prefix: string): Contract['operations'] {
  return Object.fromEntries(
    Object.entries(operations).map(([operationId, entry]) => [
      operationId,
      entry.path === DOCUMENTED_PATH ? { ...entry, path: `${prefix}/v1/models` } : entry,
    ]),
  );
}

/** The interface document as text, with the partner catalog below `prefix`. */
export function describedAt(document: string, prefix: string): string {
  if (prefix === DOCUMENTED) return document;
  return document
    .replace(`"${DOCUMENTED_PATH}":`, `"${prefix}/v1/models":`)
    .replace(`\`${DOCUMENTED}\``, `\`${prefix}\``);
}

/** The parts of a request that routing reads, and the notes that it makes on the request. */
interface Routed {
  readonly request: { readonly method: string };
  readonly path: string;
  operationId: string | null;
  params: Readonly<Record<string, string>>;
}

interface Path<Entry> {
  readonly path: string;
  /** A pattern with a group for each parameter. */
  readonly pattern: RegExp;
  /** By method, in lower case. */
  readonly operations: ReadonlyMap<string, DispatchedOperation<Entry>>;
}

const NO_PARAMS = {};
/** openapi-backend reads the numbers. */
const NOT_FOUND = new Error('404-notFound');
const METHOD_NOT_ALLOWED = new Error('405-methodNotAllowed');

/**
 * Matches whole paths; one slash at the end is ignored. HEAD falls back to GET (RFC 9110, 9.3.2). A path parameter is
 * one segment, percent-decoded; a path that cannot be decoded matches nothing.
 */
export class Router<Entry extends DispatchEntry> {
  readonly operations: ReadonlyMap<string, DispatchedOperation<Entry>>;
  readonly #exact: ReadonlyMap<string, Path<Entry>>;
  /** The paths with parameters; those with the most literal characters first. */
  readonly #templated: readonly Path<Entry>[];

  constructor({ operations, requestBodies, queries = {} }: DispatchContract<Entry>) {
    const rows = Object.entries(operations).map(([operationId, entry]): DispatchedOperation<Entry> => {
      const security = REQUIREMENTS[entry.security];
      const validator = requestBodies[operationId] ?? null;
      return { operationId, entry, security, validator, readQuery: queries[operationId] ?? null };
    });
    const paths = [...Map.groupBy(rows, ({ entry }) => entry.path)].map(([path, among]) => pathOf(path, among));
    this.operations = new Map(rows.map((operation) => [operation.operationId, operation]));
    this.#exact = new Map(paths.map((path) => [path.path, path]));
    this.#templated = paths
      .filter(({ path }) => path.includes('{'))
      .sort((a, b) => literalLength(b.path) - literalLength(a.path));
  }

  /** Notes the operation and the parameters of its path in the call. Throws for an unknown path or method. */
  matchOperation(call: Routed): DispatchedOperation<Entry> {
    const path = this.#find(call.path);
    if (!path) throw NOT_FOUND;
    const method = call.request.method.toLowerCase();
    const operation = path.operations.get(method) ?? (method === 'head' ? path.operations.get('get') : undefined);
    if (!operation) throw METHOD_NOT_ALLOWED;
    call.operationId = operation.operationId;
    call.params = paramsOf(path, call.path);
    return operation;
  }

  /** openapi-backend has nothing to parse: a call reads its query and its body when they are asked for. */
  parseRequest<Call>(call: Call): Call {
    return call;
  }

  getOperation(operationId: string): DispatchedOperation<Entry> | undefined {
    return this.operations.get(operationId);
  }

  /** The methods of a path, for Allow; empty for an unknown path. */
  methodsAt(requestPath: string): string[] {
    const methods = new Set(this.#find(requestPath)?.operations.keys());
    if (methods.has('get')) methods.add('head');
    return [...methods].map((method) => method.toUpperCase());
  }

  #find(requestPath: string): Path<Entry> | undefined {
    const path = requestPath.length > 1 && requestPath.endsWith('/') ? requestPath.slice(0, -1) : requestPath;
    const exact = this.#exact.get(path);
    if (exact || !isDecodable(path)) return exact;
    return this.#templated.find(({ pattern }) => pattern.test(path));
  }
}

function pathOf<Entry extends DispatchEntry>(path: string, among: readonly DispatchedOperation<Entry>[]): Path<Entry> {
  const parts = path.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[^/]+)`));
  const operations = new Map(among.map((operation) => [operation.entry.method, operation]));
  return { path, pattern: new RegExp(`^${parts.join('')}/?$`), operations };
}

function paramsOf<Entry>({ pattern }: Path<Entry>, requestPath: string): Routed['params'] {
  const groups = pattern.exec(requestPath)?.groups;
  if (!groups) return NO_PARAMS;
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}

function literalLength(path: string): number {
  return path.replaceAll(/\{\w+\}/g, '').length;
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
