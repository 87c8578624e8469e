/** Where locks do not reach every node, each commit counts itself in the lease of its gateway: `leases/fence.ts`. */
import type { Migration } from './migration.ts';

/** Adds the count. */
export const leaseCommits: Migration = {
  id: '0068_lease_commits',
  statements: () => ['ALTER TABLE leases ADD COLUMN commits BIGINT NOT NULL DEFAULT 0'],
};
