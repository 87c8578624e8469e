/** The handlers of every operation of openapi/console.yaml, in one table. */

import { type MemberAccountOptions, memberAccountHandlers } from '#accounts/account/account-handlers.ts';
import { type AlertsOptions, alertsHandlers } from '#accounts/account/alert-handlers.ts';
import { type OwnAccountOptions, ownAccountHandlers } from '#accounts/account/own-account-handlers.ts';
import { type StorageOptions, storageHandlers } from '#accounts/account/storage-handlers.ts';
import { type KeysOptions, keysHandlers } from '#accounts/keys/handlers.ts';
import { type LedgerOptions, ledgerHandlers } from '#accounts/ledger/handlers.ts';
import { type MembersOptions, membersHandlers } from '#accounts/members/member-handlers.ts';
import { passkeyHandlers } from '#accounts/members/passkey-handlers.ts';
import { type ProviderOptions, providerHandlers } from '#accounts/members/provider-handlers.ts';
import { type SignInOptions, signInHandlers } from '#accounts/members/sign-in-handlers.ts';
import { type MemberPaymentsOptions, paymentsHandlers } from '#accounts/payments/payment-handlers.ts';
import { type MemberTopUpsOptions, topUpHandlers } from '#accounts/payments/top-up-handlers.ts';
import { type WebhooksOptions, webhooksHandlers } from '#accounts/webhooks/handlers.ts';
import type { ConsoleHandlers } from '#contract/console-call.ts';
import { type ActivityOptions, activityHandlers } from '#handlers/activity.ts';
import { type OperatorParts, operatorHandlers } from '#operator/handlers.ts';

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
