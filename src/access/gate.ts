/**
 * Finds out who is calling. Only the hash of a key is ever looked up or kept. An answer is reused for one second at
 * most, which is also how long a revoked key or a suspended account may go on: docs/operating.md promises no more than that.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { hashKey, isApiKey } from './api-key.ts';
import type { AccessStore } from './ports.ts';
import type { Principal } from './principal.ts';

/** Which headers may carry the key: Authorization alone, or x-api-key beside it (the Messages routes). Spec 5. */
export type KeyHeaders = 'key' | 'key-or-header';

/** What the gate needs. */
export interface GateParts {
  readonly store: AccessStore;
  readonly clock: Clock;
}

interface Known {
  readonly askedAtMs: number;
  readonly principal: Principal;
}

const KNOWN_MS = 1000;
const KNOWN_KEYS_MAX = 10_000;

/** Tells callers apart by their keys. */
export class Gate {
  readonly #store: AccessStore;
  readonly #clock: Clock;
  /** By hash, the least recently looked up first. */
  readonly #known = new Map<string, Known>();
  /** Look-ups under way by hash, so that a burst of one key is one question. */
  readonly #asked = new Map<string, Promise<Principal>>();

  constructor({ store, clock }: GateParts) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The caller behind these headers. Throws invalid_api_key when there is no key, or an unknown or revoked one, and
   * account_suspended when its account is not active.
   */
  async authenticate(headers: IncomingHttpHeaders, from: KeyHeaders): Promise<Principal> {
    const secret = presentedKey(headers, from);
    if (secret === null || !isApiKey(secret)) throw new Fault('invalid_api_key');
    const hash = hashKey(secret);
    const known = this.#known.get(hash);
    return known && this.#isFresh(known) ? known.principal : (this.#asked.get(hash) ?? this.#ask(hash));
  }

  /** Asks anew about the account's keys from now on: what it just changed holds for its very next request. */
  forget(accountId: string): void {
    for (const [hash, { principal }] of this.#known) if (principal.account.id === accountId) this.#known.delete(hash);
    // Whose answers these will be is not known yet; those who wait for them asked before the change.
    this.#asked.clear();
  }

  /** A clock that was set back must not keep an answer alive. */
  #isFresh({ askedAtMs }: Known): boolean {
    const ageMs = this.#clock.nowMs() - askedAtMs;
    return ageMs >= 0 && ageMs < KNOWN_MS;
  }

  async #ask(hash: string): Promise<Principal> {
    this.#known.delete(hash);
    const askedAtMs = this.#clock.nowMs();
    const answer = this.#lookUp(hash);
    this.#asked.set(hash, answer);
    try {
      const principal = await answer;
      if (this.#asked.get(hash) === answer) this.#keep(hash, { askedAtMs, principal });
      return principal;
    } finally {
      if (this.#asked.get(hash) === answer) this.#asked.delete(hash);
    }
  }

  async #lookUp(hash: string): Promise<Principal> {
    const principal = await this.#store.findByHash(hash);
    if (!principal || principal.key.revokedAtMs !== null) throw new Fault('invalid_api_key');
    if (principal.account.status !== 'active') throw suspended(principal);
    return principal;
  }

  #keep(hash: string, known: Known): void {
    this.#known.set(hash, known);
    if (this.#known.size > KNOWN_KEYS_MAX) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The key as sent; null when there is none. An Authorization header wins even when it holds no key. */
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
