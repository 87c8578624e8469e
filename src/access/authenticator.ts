/**
 * Identifies the caller. Only the hash of a key is looked up or kept. A result is cached for at most one second, which
 * is how long a revoked key or a suspended account keeps working: docs/operating.md promises no more than that.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { hashKey, isApiKey } from './api-key.ts';
import type { AccessStore } from './ports.ts';
import type { Principal } from './principal.ts';

/** The headers that may carry the key: only Authorization, or also x-api-key (on the Messages routes). Spec 5. */
export type KeyHeaders = 'key' | 'key-or-header';

/** What the authenticator needs. */
export interface AuthenticatorOptions {
  readonly store: AccessStore;
  readonly clock: Clock;
}

interface CachedPrincipal {
  readonly lookedUpAtMs: number;
  readonly principal: Principal;
}

const CACHE_MS = 1000;
const CACHED_KEYS_MAX = 10_000;

/** Identifies callers by their keys. */
export class Authenticator {
  readonly #store: AccessStore;
  readonly #clock: Clock;
  /** By hash, the least recently looked up first. */
  readonly #cached = new Map<string, CachedPrincipal>();
  /** Lookups in progress by hash, so that concurrent requests with one key share one. */
  readonly #lookups = new Map<string, Promise<Principal>>();

  constructor({ store, clock }: AuthenticatorOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The caller that sent these headers. Throws invalid_api_key for a missing, unknown or revoked key, and
   * account_suspended if the account is not active.
   */
  async authenticate(headers: IncomingHttpHeaders, from: KeyHeaders): Promise<Principal> {
    const secret = presentedKey(headers, from);
    if (secret === null || !isApiKey(secret)) throw new Fault('invalid_api_key');
    const hash = hashKey(secret);
    const cached = this.#cached.get(hash);
    return cached && this.#isFresh(cached) ? cached.principal : (this.#lookups.get(hash) ?? this.#refresh(hash));
  }

  /** Discards what is cached for an account, so that a change applies to its very next request. */
  forget(accountId: string): void {
    for (const [hash, { principal }] of this.#cached) if (principal.account.id === accountId) this.#cached.delete(hash);
    // A lookup in progress may be for any account. Its waiting requests came before the change.
    this.#lookups.clear();
  }

  /** A clock that was set back must not extend the life of a cached result. */
  #isFresh({ lookedUpAtMs }: CachedPrincipal): boolean {
    const ageMs = this.#clock.nowMs() - lookedUpAtMs;
    return ageMs >= 0 && ageMs < CACHE_MS;
  }

  async #refresh(hash: string): Promise<Principal> {
    this.#cached.delete(hash);
    const lookedUpAtMs = this.#clock.nowMs();
    const lookup = this.#lookUp(hash);
    this.#lookups.set(hash, lookup);
    try {
      const principal = await lookup;
      if (this.#lookups.get(hash) === lookup) this.#keep(hash, { lookedUpAtMs, principal });
      return principal;
    } finally {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    }
  }

  async #lookUp(hash: string): Promise<Principal> {
    const principal = await this.#store.findByHash(hash);
    if (!principal || principal.key.revokedAtMs !== null) throw new Fault('invalid_api_key');
    if (principal.account.status !== 'active') throw suspended(principal);
    return principal;
  }

  #keep(hash: string, cached: CachedPrincipal): void {
    this.#cached.set(hash, cached);
    if (this.#cached.size > CACHED_KEYS_MAX) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined) this.#cached.delete(oldest);
  }
}

/** The key as sent; null for none. An Authorization header takes precedence even if it has no key. */
function presentedKey(headers: IncomingHttpHeaders, from: KeyHeaders): string | null {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? null;
  const header = from === 'key-or-header' ? headers['x-api-key'] : undefined;
  return typeof header === 'string' ? header : null;
}

function suspended({ account }: Principal): Fault {
  if (account.status === 'suspended') return new Fault('account_suspended');
  return new Fault('account_suspended', { message: 'This account is being deleted.' });
}
