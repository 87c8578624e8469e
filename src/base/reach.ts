/**
 * What a caller may see or change. Whatever reads or changes orders, files, batches or usage for a caller takes its reach
 * instead of the id of an account, so that no query forgets the narrow keys.
 */

/** All of an account, or only what one of its keys made. */
export interface Reach {
  readonly accountId: string;
  /** Null: everything of the account, whichever key made it, or none. */
  readonly keyId: string | null;
}

/** All of an account: what its members reach, and keys that may read or manage all of it. */
export function wholeAccount(accountId: string): Reach {
  return { accountId, keyId: null };
}

/**
 * Whether something of this account and key is within reach. Items that no key made, or of an unknown key, are out of
 * every narrow key's reach.
 */
export function reaches(
  { accountId, keyId }: Reach,
  made: { readonly accountId: string; readonly keyId: string | null },
): boolean {
  return made.accountId === accountId && (keyId === null || made.keyId === keyId);
}

/** The same as conditions on the columns of a table. */
export function reachColumns({ accountId, keyId }: Reach): { readonly account_id: string; readonly key_id?: string } {
  return keyId === null ? { account_id: accountId } : { account_id: accountId, key_id: keyId };
}
