/**
 * What a key may do, and which part of its account it reaches. Every operation of openapi.yaml says in `x-scope` which
 * access it needs, and `authorized` is the one place that compares the two. docs/buy/keys.md has the table of scopes
 * and operations.
 */
import { Fault } from '#base/fault.ts';
import { bareAddress, isAllowedFrom } from './addresses.ts';
import { type ApiKey, type Authenticated, type Principal, type Scope, scopes } from './principal.ts';

/** What an operation needs. `read` and `change` reach what the key made, or the whole account, as its scopes say. */
export type Access = 'inference' | 'read' | 'change' | 'manage';

interface Need {
  /** A key without any of these is refused. */
  readonly oneOf: readonly Scope[];
  /** A key without this scope reaches only what it made itself. */
  readonly whole: Scope;
}

const NEEDS: Readonly<Record<Access, Need>> = {
  // A repeat with an Idempotency-Key reads an answer, and a batch reads its input file.
  inference: { oneOf: ['inference'], whole: 'read_all' },
  read: { oneOf: ['read_own', 'read_all'], whole: 'read_all' },
  change: { oneOf: ['inference', 'manage'], whole: 'manage' },
  manage: { oneOf: ['manage'], whole: 'manage' },
};

/** What a key needs that only calls models: such a program must not get `manage` unnoticed. */
export const NARROW_SCOPES: readonly Scope[] = ['inference', 'read_own'];

/** The scopes of a key. A key without scopes of its own has all four; with a budget or a list of models, the narrow two. */
export function scopesOf({
  scopes: set,
  budget,
  models,
}: Pick<ApiKey, 'scopes' | 'budget' | 'models'>): readonly Scope[] {
  return set ?? (budget === null && models === null ? scopes : NARROW_SCOPES);
}

/** Whether the key may delete what other keys of its account made, also by evicting it when it stores something. */
export function managesAll(key: Pick<ApiKey, 'scopes' | 'budget' | 'models'>): boolean {
  return scopesOf(key).includes('manage');
}

/**
 * The caller of an operation that needs `access`, with what it reaches. `address` is the caller's address, if the
 * gateway knows it. Throws address_not_allowed and missing_scope.
 */
export function authorized({ account, key }: Authenticated, access: Access, address: string | undefined): Principal {
  if (key.addresses !== null && !isAllowedFrom(key.addresses, address))
    throw new Fault('address_not_allowed', {
      message: `This API key may not be used from ${bareAddress(address) ?? 'an unknown address'}.`,
    });
  const own = scopesOf(key);
  const { oneOf, whole } = NEEDS[access];
  if (!oneOf.some((scope) => own.includes(scope)))
    throw new Fault('missing_scope', {
      message: `This request needs the scope ${oneOf.join(' or ')}, and this API key has ${own.join(', ')}.`,
    });
  return { account, key, reach: { accountId: account.id, keyId: own.includes(whole) ? null : key.id } };
}
