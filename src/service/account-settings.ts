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
    import('#accounts/account/member-storage.ts'),
    import('#accounts/ledger/books.ts'),
    import('#accounts/account/usage-days.ts'),
    import('#accounts/payments/top-up-store.ts'),
    import('#accounts/account/own-account.ts'),
    import('#accounts/account/account-export.ts'),
    import('#accounts/account/balance-alerts.ts'),
    import('#accounts/webhooks/endpoint-store.ts'),
    import('#accounts/webhooks/signature.ts'),
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
