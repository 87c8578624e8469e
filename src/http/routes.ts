/**
 * Finds the operation of a request in the table of the contract. What the table does not have is not found, so that
 * nothing is reachable by accident.
 */
import type { DispatchEntry } from './contract.ts';

interface Path {
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** operationIds by method, in lower case. */
  readonly byMethod: Map<string, string>;
}

/** The operation of a request, with the parameters of its path. */
export interface Route {
  readonly operationId: string;
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS = {};

/**
 * Matches whole paths; one slash at the end is ignored. HEAD falls back to GET (RFC 9110, 9.3.2). A path parameter is
 * one segment, percent-decoded; a path that cannot be decoded matches nothing.
 */
export class Router {
  readonly #exact = new Map<string, Path>();
  /** The paths with parameters; those with the most literal segments first. */
  readonly #templated: Path[] = [];

  constructor({ operations }: { readonly operations: Readonly<Record<string, Omit<DispatchEntry, 'security'>>> }) {
    for (const [operationId, { path, method }] of Object.entries(operations))
      this.#path(path).byMethod.set(method, operationId);
    this.#templated.sort((a, b) => literalLength(b) - literalLength(a));
  }

  /** Null for a path without this method, and for an unknown path. `method` may be in either case. */
  match(method: string, requestPath: string): Route | null {
    const path = this.#find(requestPath);
    if (!path) return null;
    const name = method.toLowerCase();
    const operationId = path.byMethod.get(name) ?? (name === 'head' ? path.byMethod.get('get') : undefined);
    return operationId === undefined ? null : { operationId, params: paramsOf(path, requestPath) };
  }

  /** The methods of a path, for Allow; empty for an unknown path. */
  methodsAt(requestPath: string): string[] {
    const methods = [...(this.#find(requestPath)?.byMethod.keys() ?? [])];
    if (methods.includes('get') && !methods.includes('head')) methods.push('head');
    return methods.map((method) => method.toUpperCase());
  }

  #path(path: string): Path {
    const known = this.#exact.get(path) ?? this.#templated.find((other) => other.path === path);
    if (known) return known;
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    const entry = { path, pattern: patternOf(path), names, byMethod: new Map() };
    if (names.length === 0) this.#exact.set(path, entry);
    else this.#templated.push(entry);
    return entry;
  }

  #find(requestPath: string): Path | undefined {
    const path = requestPath.length > 1 && requestPath.endsWith('/') ? requestPath.slice(0, -1) : requestPath;
    const exact = this.#exact.get(path);
    if (exact || !isDecodable(path)) return exact;
    return this.#templated.find(({ pattern }) => pattern.test(path));
  }
}

function paramsOf({ pattern, names }: Path, requestPath: string): Record<string, string> {
  if (names.length === 0) return NO_PARAMS;
  const values = pattern.exec(requestPath);
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values?.[index + 1] ?? '')]));
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
