/** The handlers of what only members of the operator may call, in one table. */

import { type EntriesOptions, entriesHandlers } from '#accounts/account/entry-handlers.ts';
import {
  accountChangeHandlers,
  accountViewHandlers,
  type OperatorAccountsOptions,
  transferHandlers,
} from '#accounts/account/operator-account-handlers.ts';
import { type AccountPeopleOptions, accountPeopleHandlers } from '#accounts/account/people-handlers.ts';
import { type AuditHandlerOptions, auditHandlers, moneyHandlers } from './audit-handlers.ts';
import { type AuditLogOptions, auditLogHandlers } from './change-handlers.ts';
import { type ConfigurationOptions, configurationHandlers } from './configuration-handlers.ts';
import { type SoldOrdersOptions, soldOrdersHandlers } from './order-handlers.ts';
import { type OverviewHandlerOptions, overviewHandlers } from './overview-handlers.ts';
import { type PodsOptions, podChangeHandlers, podsHandlers } from './pod-handlers.ts';
import { type ReloadHandlerOptions, reloadHandlers } from './reload-handlers.ts';

/** What they need. */
export type OperatorParts = PodsOptions &
  OperatorAccountsOptions &
  SoldOrdersOptions &
  AuditLogOptions &
  AuditHandlerOptions &
  ConfigurationOptions &
  ReloadHandlerOptions &
  AccountPeopleOptions &
  EntriesOptions &
  OverviewHandlerOptions;

/** The table. */
export function operatorHandlers(parts: OperatorParts) {
  return {
    ...podsHandlers(parts),
    ...podChangeHandlers(parts),
    ...accountViewHandlers(parts),
    ...accountChangeHandlers(parts),
    ...transferHandlers(parts),
    ...accountPeopleHandlers(parts),
    ...entriesHandlers(parts),
    ...soldOrdersHandlers(parts),
    ...auditLogHandlers(parts),
    ...auditHandlers(parts),
    ...moneyHandlers(parts),
    ...configurationHandlers(parts),
    ...reloadHandlers(parts),
    ...overviewHandlers(parts),
  };
}
