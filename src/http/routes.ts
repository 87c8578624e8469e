/**
 * Finds the operation of a request. openapi-backend rebuilds its list of operations and compiles a pattern per path on
 * every request, which costs more than everything else in the server; this router does both once.
 */
import { type Document, OpenAPIRouter, type Operation, type ParsedRequest, type Request } from 'openapi-backend';
import type { Contract } from './contract.ts';

interface Path {
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly byMethod: Map<string, Operation>;
}

/** The document that openapi-backend routes by: only paths and operationIds, so that the start is fast. */
export function routingDocument({ operations }: Contract): Document {
  const paths: Record<string, Record<string, { operationId: string; responses: object }>> = {};
  for (const [operationId, { method, path }] of Object.entries(operations)) {
    paths[path] = { ...paths[path], [method]: { operationId, responses: {} } };
  }
  return { openapi: '3.0.3', info: { title: 'routes', version: '1' }, paths };
}

/**
 * Matches whole paths; one slash at the end is ignored. HEAD falls back to GET (RFC 9110, 9.3.2). A path parameter is
 * one segment, percent-decoded; a path that cannot be decoded matches nothing.
 */
export class CachedRouter extends OpenAPIRouter {
  readonly #operations: Operation[];
  readonly #exact = new Map<string, Path>();
  /** The paths with parameters; those with the most literal segments first. */
  readonly #templated: Path[] = [];

  constructor(contract: Contract) {
    super({ definition: routingDocument(contract) });
    this.#operations = super.getOperations();
    for (const operation of this.#operations) this.#add(operation);
    this.#templated.sort((a, b) => literalLength(b) - literalLength(a));
  }

  override getOperations(): Operation[] {
    return this.#operations;
  }

  override matchOperation(request: Request): Operation {
    const path = this.#find(request.path);
    if (!path) throw new Error('404-notFound');
    const { byMethod } = path;
    const operation = byMethod.get(request.method) ?? (request.method === 'head' ? byMethod.get('get') : undefined);
    // openapi-backend distinguishes the two by the beginning of the message.
    if (!operation) throw new Error('405-methodNotAllowed');
    return operation;
  }

  /** Parses only path parameters: everything else is read from the request itself, when it is needed. */
  override parseRequest(request: Request, operation?: Operation): ParsedRequest {
    const params = operation ? this.#params(request.path) : {};
    return { ...request, params, query: {}, cookies: {}, requestBody: undefined };
  }

  /** The methods of a path, for Allow; empty for an unknown path. */
  methodsAt(requestPath: string): string[] {
    const methods = [...(this.#find(requestPath)?.byMethod.keys() ?? [])];
    if (methods.includes('get') && !methods.includes('head')) methods.push('head');
    return methods.map((method) => method.toUpperCase());
  }

  #add(operation: Operation): void {
    const { path, method } = operation;
    const known = this.#exact.get(path) ?? this.#templated.find((other) => other.path === path);
    if (known) known.byMethod.set(method, operation);
    else this.#addPath(path, new Map([[method, operation]]));
  }

  #addPath(path: string, byMethod: Map<string, Operation>): void {
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    const entry = { path, pattern: patternOf(path), names, byMethod };
    if (names.length === 0) this.#exact.set(path, entry);
    else this.#templated.push(entry);
  }

  #find(requestPath: string): Path | undefined {
    const path = requestPath.length > 1 && requestPath.endsWith('/') ? requestPath.slice(0, -1) : requestPath;
    const exact = this.#exact.get(path);
    if (exact || !isDecodable(path)) return exact;
    return this.#templated.find(({ pattern }) => pattern.test(path));
  }

  #params(requestPath: string): Record<string, string> {
    const path = this.#find(requestPath);
    const params: Record<string, string> = {};
    if (!path || path.names.length === 0) return params;
    const values = path.pattern.exec(requestPath);
    for (const [index, name] of path.names.entries()) params[name] = decodeURIComponent(values?.[index + 1] ?? '');
    return params;
  }
}

function patternOf(path: string): RegExp {
  const literals = path.split(/\{[^}]+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('([^/]+)')}/?$`);
}

function literalLength({ path }: Path): number {
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
