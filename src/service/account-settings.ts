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
  const [storage, books, days, topUps, ownAccount, accountExport, alerts, webhooks, signature] = await Promise.all([
    import('#storage/members/member-storage.ts'),
    import('#storage/accounts/books.ts'),
    import('#storage/members/usage-days.ts'),
    import('#storage/payments/top-ups.ts'),
    import('#storage/members/own-account.ts'),
    import('#storage/members/account-export.ts'),
    import('#storage/members/balance-alerts.ts'),
    import('#storage/webhooks/endpoints.ts'),
    import('#webhooks/signature.ts'),
  ]);
  return {
    books: books.createAccountBooks(parts),
    usageDays: days.createUsageDays(parts.db),
    memberTopUps: topUps.createTopUpStore(parts),
    memberStorage: storage.createMemberStorage({ ...parts, ...parts.retained }),
    webhookEndpoints: webhooks.createEndpointStore({ ...parts, newSecret: signature.newSigningSecret }),
    webhooksMax: webhooks.ENDPOINTS_MAX,
    webhooksAllowed: parts.config.webhooks.allow,
    balanceAlerts: alerts.createBalanceAlerts(parts),
    ownAccount: ownAccount.createOwnAccount(parts),
    accountExport: accountExport.createAccountExport(parts.db),
    storedBytesMax: parts.config.limits.storedBytesPerAccount,
  };
}
