/** The handlers of what only members of the operator may call, in one table. */

import { type AccountPeopleOptions, accountPeopleHandlers } from './account-people.ts';
import {
  accountChangeHandlers,
  accountViewHandlers,
  type OperatorAccountsOptions,
  transferHandlers,
} from './accounts.ts';
import { type AuditHandlerOptions, auditHandlers, moneyHandlers } from './audit.ts';
import { type AuditLogOptions, auditLogHandlers } from './audit-log.ts';
import { type ConfigurationOptions, configurationHandlers } from './configuration.ts';
import { type EntriesOptions, entriesHandlers } from './entries.ts';
import { type SoldOrdersOptions, soldOrdersHandlers } from './orders.ts';
import { type OverviewHandlerOptions, overviewHandlers } from './overview.ts';
import { type PodsOptions, podChangeHandlers, podsHandlers } from './pods.ts';
import { type ReloadHandlerOptions, reloadHandlers } from './reload.ts';

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
