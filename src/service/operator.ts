/** What the operator's console adds to the settings; loaded with them. */
import type { OperatorParts } from '#http/console/operator/handlers.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** What is there already, in the gateway. */
export type OperatorBuilt = Pick<OperatorParts, 'pods' | 'authenticator' | 'listOrders'>;

/** Builds the rest. */
export async function operatorParts({ db, clock, ids }: Pick<Outside & BuiltStorage, 'db' | 'clock' | 'ids'>) {
  const [{ createOperatorAccounts }, { createOperatorOrders }, { createChangeHistory }] = await Promise.all([
    import('#storage/members/operator-accounts.ts'),
    import('#storage/orders/operator-orders.ts'),
    import('#storage/members/audit-log-pages.ts'),
  ]);
  return {
    operatorAccounts: createOperatorAccounts({ db, clock, ids }),
    operatorOrders: createOperatorOrders(db),
    auditLog: createChangeHistory(db),
  } satisfies Omit<OperatorParts, keyof OperatorBuilt>;
}
