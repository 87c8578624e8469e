/** Calls and listings to test handlers with, without a server. */

import assert from 'node:assert/strict';
import type { Account, Principal } from '#access/principal.ts';
import type { Reply, SecuredCall } from '#handlers/call.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { type Listing, Listings } from '#market/listing.ts';

/** A market model with an alias, a fixed-price one, a preview and a deprecated one; the first is the default. */
export function someListings(): Listings {
  return new Listings(
    [
      listing({ id: 'tide-70b', aliases: ['tide'] }),
      listing({ id: 'rock-8b', type: 'fixed', tariff: FIXED, aliases: ['rock'] }),
      listing({ id: 'soon-1b', preview: true }),
      listing({ id: 'gone-3b', deprecated: true }),
    ],
    'tide-70b',
  );
}

const FIXED = tariffOf('fixed', { cached: '0.1', uncached: '1.25', output: '4' });

/** A market listing; `more` changes it. */
export function listing(more: Partial<Listing> = {}): Listing {
  return {
    id: 'tide-70b',
    type: 'market',
    displayName: 'Tide 70B',
    ownedBy: 'sluice',
    createdAtS: 1_767_225_600,
    aliases: [],
    contextLength: 131_072,
    outputLengthMax: 32_768,
    tariff: tariffOf('market', { cached: '0.1', uncached: '1', output: '4' }),
    floor: 0,
    ceiling: 100e9,
    preview: false,
    deprecated: false,
    accountShareMax: null,
    reasoningEfforts: [],
    imageTokens: 1500,
    ...more,
  };
}

/** An account with ten dollars; `more` changes it. */
export function account(more: Partial<Account> = {}): Account {
  return {
    id: 'acc_1',
    name: 'Someone',
    status: 'active',
    balance: 10_000_000_000n,
    held: 0n,
    priceLimits: {},
    priceLock: false,
    orderTimeoutS: 600,
    retentionDays: 30,
    logPayloads: false,
    house: false,
    createdAtMs: Date.UTC(2026, 0, 1),
    ...more,
  };
}

/** Who calls, by default with `account()` and a key without price limits. */
export function principal(more: Partial<Principal> = {}): Principal {
  const key = {
    id: 'key_1',
    accountId: 'acc_1',
    name: 'default',
    hint: 'sk-…x',
    priceLimits: {},
    createdAtMs: Date.UTC(2026, 0, 1),
    revokedAtMs: null,
  };
  return { account: account(), key, ...more };
}

/** A call whose caller can hang up. */
export interface TestCall extends SecuredCall {
  /** Closes the caller's connection. */
  hangUp(): void;
}

/** A call with nothing in it but a principal; `more` adds to it. */
export function testCall(more: Partial<SecuredCall> = {}): TestCall {
  const onGone: (() => void)[] = [];
  let gone = false;
  return {
    params: {},
    query: {},
    headers: {},
    body: undefined,
    requestId: 'req_1',
    principal: principal(),
    onGone: (run) => {
      if (gone) queueMicrotask(run);
      else onGone.push(run);
    },
    hangUp: () => {
      gone = true;
      for (const run of onGone) run();
    },
    ...more,
  };
}

/** The JSON of a whole answer, rendered already or not. */
export function jsonOf(reply: Reply): unknown {
  if ('raw' in reply) return JSON.parse(String(reply.raw));
  assert.ok('json' in reply);
  return reply.json;
}
