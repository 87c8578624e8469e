/**
 * Identifies the caller. Only the hash of a key is looked up (`key-lookup.ts`) or kept. A result is cached for at most one second, which
 * is how long a revoked key or a suspended account keeps working: docs/sell/money.md promises no more than that.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticated } from '#access/principal.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { iso } from '#base/time.ts';
import { hashKey, isApiKey } from './api-key.ts';
import type { AccessStore, FoundKey } from './key-lookup.ts';

/** The headers that may carry the key: only Authorization, or also x-api-key (on the Messages routes). Spec 5. */
export type KeyHeaders = 'key' | 'key-or-header';

interface CachedPrincipal {
  readonly lookedUpAtMs: number;
  readonly found: FoundKey;
}

const CACHE_MS = 1000;
const CACHED_KEYS_MAX = 10_000;

/** Identifies callers by their keys. */
export class Authenticator {
  readonly #store: Pick<AccessStore, 'findByHash'>;
  readonly #clock: Clock;
  /** Keyed by hash, the least recently used first. */
  readonly #cached = new Map<string, CachedPrincipal>();
  /** Lookups in progress by hash, so that concurrent requests with one key share one. */
  readonly #lookups = new Map<string, Promise<FoundKey>>();

  constructor({ store, clock }: { readonly store: Pick<AccessStore, 'findByHash'>; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The caller that sent these headers. Throws invalid_api_key for a missing, unknown, revoked or expired key, and
   * account_suspended if the account is not active.
   */
  async authenticate(headers: IncomingHttpHeaders, from: KeyHeaders): Promise<Authenticated> {
    const secret = presentedKey(headers, from);
    if (secret === null || !isApiKey(secret)) throw new Fault('invalid_api_key');
    const hash = hashKey(secret);
    const cached = this.#cached.get(hash);
    const isFresh = cached && this.#isFresh(cached);
    const { owner, untilMs } = isFresh ? cached.found : await (this.#lookups.get(hash) ?? this.#refresh(hash));
    if (untilMs !== null && this.#clock.nowMs() >= untilMs) throw expired(untilMs);
    return owner;
  }

  /** Discards what is cached for an account, so that a change applies to its very next request. */
  forget(accountId: string): void {
    for (const [hash, { found }] of this.#cached) if (found.owner.account.id === accountId) this.#cached.delete(hash);
    // A lookup in progress may be for any account. Its waiting requests came before the change.
    this.#lookups.clear();
  }

  #isFresh({ lookedUpAtMs }: CachedPrincipal): boolean {
    return this.#clock.monotonicMs() - lookedUpAtMs < CACHE_MS;
  }

  async #refresh(hash: string): Promise<FoundKey> {
    this.#cached.delete(hash);
    const lookedUpAtMs = this.#clock.monotonicMs();
    const lookup = this.#lookUp(hash);
    this.#lookups.set(hash, lookup);
    try {
      const found = await lookup;
      if (this.#lookups.get(hash) === lookup) this.#cached.set(hash, { lookedUpAtMs, found });
      const [oldest] = this.#cached.keys();
      if (this.#cached.size > CACHED_KEYS_MAX && oldest !== undefined) this.#cached.delete(oldest);
      return found;
    } finally {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    }
  }

  async #lookUp(hash: string): Promise<FoundKey> {
    const found = await this.#store.findByHash(hash);
    if (!found || found.owner.key.revokedAtMs !== null) throw new Fault('invalid_api_key');
    if (found.owner.account.status !== 'active') throw suspended(found.owner);
    return found;
  }
}

/** The key as sent; null for none. An Authorization header takes precedence even if it has no key. */
function presentedKey(headers: IncomingHttpHeaders, from: KeyHeaders): string | null {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? null;
  const header = from === 'key-or-header' ? headers['x-api-key'] : undefined;
  return typeof header === 'string' ? header : null;
}

function expired(untilMs: number): Fault {
  const when = iso(untilMs);
  return new Fault('invalid_api_key', {
    message: `This API key stopped working at ${when}: it expired, or was rotated.`,
  });
}

function suspended({ account }: Authenticated): Fault {
  const message = {
    active: '',
    suspended: '',
    deleting: 'This account is being deleted.',
    closed: 'This account is closed.',
    paused: 'An owner of this account has suspended its keys.',
  }[account.status];
  return new Fault('account_suspended', message === '' ? {} : { message });
}
