/**
 * Leases of gateways say in which state they are. Every gateway is numbered, also one that serves alone, so the lease
 * `gateway:single` of versions before goes. No gateway lives while this runs: `leases/living-gateways.ts`.
 */
import type { Migration } from './migration.ts';

/** Adds the state. */
export const leaseStates: Migration = {
  id: '0061_lease_states',
  statements: () => [
    'ALTER TABLE leases ADD COLUMN state VARCHAR(16) NULL',
    "DELETE FROM beats WHERE gateway IN (SELECT holder FROM leases WHERE name = 'gateway:single')",
    "DELETE FROM leases WHERE name = 'gateway:single'",
    `UPDATE leases SET state = CASE WHEN holder IS NULL THEN 'left' WHEN holder = SUBSTR(name, 9) THEN 'serving'
       ELSE 'adopted' END WHERE name LIKE 'gateway:%'`,
  ],
};
