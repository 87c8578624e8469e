/** What the settings of an account need besides signing in, keys and members; loaded with them. */
import type { Retained } from '#results/ports.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** What is there already, in the gateway. */
export interface SettingsBuilt {
  /** Results and files, as the retention cleanup deletes them. */
  readonly retained: { readonly results: Retained; readonly files: Retained };
}

/** Builds the rest. */
export async function accountSettings(
  parts: SettingsBuilt & Pick<Outside & BuiltStorage, 'config' | 'db' | 'clock' | 'ids'>,
) {
  const [{ createMemberStorage }, { createAccountBooks }, { createUsageDays }, { createTopUpStore }] =
    await Promise.all([
      import('#storage/members/member-storage.ts'),
      import('#storage/accounts/books.ts'),
      import('#storage/members/usage-days.ts'),
      import('#storage/payments/top-ups.ts'),
    ]);
  return {
    books: createAccountBooks(parts),
    memberTopUps: createTopUpStore(parts),
    memberStorage: createMemberStorage({ ...parts, ...parts.retained }),
    usageDays: createUsageDays(parts.db),
    storedBytesMax: parts.config.limits.storedBytesPerAccount,
  };
}
