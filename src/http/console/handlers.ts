/** The handlers of every operation of openapi/console.yaml, in one table. */

import { type MemberAccountOptions, memberAccountHandlers } from './account.ts';
import { type ActivityOptions, activityHandlers } from './activity.ts';
import { type AlertsOptions, alertsHandlers } from './alerts.ts';
import type { ConsoleHandlers } from './call.ts';
import { type KeysOptions, keysHandlers } from './keys.ts';
import { type LedgerOptions, ledgerHandlers } from './ledger.ts';
import { type MembersOptions, membersHandlers } from './members.ts';
import { type OperatorParts, operatorHandlers } from './operator/handlers.ts';
import { type OwnAccountOptions, ownAccountHandlers } from './own-account.ts';
import { passkeyHandlers } from './passkeys.ts';
import { type MemberPaymentsOptions, paymentsHandlers } from './payments.ts';
import { type ProviderOptions, providerHandlers } from './provider.ts';
import { type SignInOptions, signInHandlers } from './sign-in.ts';
import { type StorageOptions, storageHandlers } from './storage.ts';
import { type MemberTopUpsOptions, topUpHandlers } from './top-ups.ts';
import { type WebhooksOptions, webhooksHandlers } from './webhooks.ts';

/** What the handlers need. */
export type ConsoleParts = SignInOptions &
  ProviderOptions &
  KeysOptions &
  MembersOptions &
  MemberAccountOptions &
  ActivityOptions &
  OperatorParts &
  MemberPaymentsOptions &
  LedgerOptions &
  MemberTopUpsOptions &
  OwnAccountOptions &
  AlertsOptions &
  StorageOptions &
  WebhooksOptions & {
    /** generated/console-api/openapi.json. */
    readonly document: Uint8Array;
  };

/** The table. */
export function consoleHandlers({ document, ...parts }: ConsoleParts): ConsoleHandlers {
  return {
    ...signInHandlers(parts),
    ...passkeyHandlers(parts),
    ...providerHandlers(parts),
    ...keysHandlers(parts),
    ...membersHandlers(parts),
    ...memberAccountHandlers(parts),
    ...activityHandlers(parts),
    ...operatorHandlers(parts),
    ...paymentsHandlers(parts),
    ...ledgerHandlers(parts),
    ...topUpHandlers(parts),
    ...alertsHandlers(parts),
    ...ownAccountHandlers(parts),
    ...storageHandlers(parts),
    ...webhooksHandlers(parts),
    getConsoleOpenapi: () => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
      raw: document,
    }),
  };
}
