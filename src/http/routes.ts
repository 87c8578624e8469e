/**
 * The router of openapi-backend, on tables that are built once. What the operations table does not have is not found, so
 * that nothing is reachable by accident.
 */
import { type DispatchContract, type DispatchEntry, type DispatchedOperation, REQUIREMENTS } from './contract.ts';

/** What a request is routed by, and what is noted in it. */
export interface Routed {
  readonly request: { readonly method: string };
  readonly path: string;
  operationId: string | null;
  params: Readonly<Record<string, string>>;
}

interface Path<Entry> {
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** By method, in lower case. */
  readonly operations: Map<string, DispatchedOperation<Entry>>;
}

const NO_PARAMS = {};
/** openapi-backend reads the number. */
const NOT_FOUND = new Error('404-notFound');
const METHOD_NOT_ALLOWED = new Error('405-methodNotAllowed');

/**
 * Matches whole paths; one slash at the end is ignored. HEAD falls back to GET (RFC 9110, 9.3.2). A path parameter is
 * one segment, percent-decoded; a path that cannot be decoded matches nothing.
 */
export class Router<Entry extends DispatchEntry> {
  readonly operations: ReadonlyMap<string, DispatchedOperation<Entry>>;
  readonly #exact = new Map<string, Path<Entry>>();
  /** The paths with parameters; those with the most literal characters first. */
  readonly #templated: Path<Entry>[] = [];

  constructor({ operations, requestBodies }: DispatchContract<Entry>) {
    const rows = Object.entries(operations).map(([operationId, entry]): DispatchedOperation<Entry> => {
      const security = REQUIREMENTS[entry.security];
      return { operationId, entry, security, validator: requestBodies[operationId] ?? null };
    });
    this.operations = new Map(rows.map((operation) => [operation.operationId, operation]));
    for (const operation of rows) this.#path(operation.entry.path).operations.set(operation.entry.method, operation);
    this.#templated.sort((a, b) => literalLength(b) - literalLength(a));
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
    const methods = [...(this.#find(requestPath)?.operations.keys() ?? [])];
    if (methods.includes('get') && !methods.includes('head')) methods.push('head');
    return methods.map((method) => method.toUpperCase());
  }

  #path(path: string): Path<Entry> {
    const known = this.#exact.get(path) ?? this.#templated.find((other) => other.path === path);
    if (known) return known;
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    const entry = { path, pattern: patternOf(path), names, operations: new Map() };
    if (names.length === 0) this.#exact.set(path, entry);
    else this.#templated.push(entry);
    return entry;
  }

  #find(requestPath: string): Path<Entry> | undefined {
    const path = requestPath.length > 1 && requestPath.endsWith('/') ? requestPath.slice(0, -1) : requestPath;
    const exact = this.#exact.get(path);
    if (exact || !isDecodable(path)) return exact;
    return this.#templated.find(({ pattern }) => pattern.test(path));
  }
}

function paramsOf<Entry>({ pattern, names }: Path<Entry>, requestPath: string): Record<string, string> {
  if (names.length === 0) return NO_PARAMS;
  const values = pattern.exec(requestPath);
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values?.[index + 1] ?? '')]));
}

function patternOf(path: string): RegExp {
  const literals = path.split(/\{[^}]+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('([^/]+)')}/?$`);
}

function literalLength({ path }: { readonly path: string }): number {
  return path.replaceAll(/\{[^}]+\}/g, '').length;
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
