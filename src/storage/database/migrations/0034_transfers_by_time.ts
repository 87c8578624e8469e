/** Transfers of all accounts in the order of time, for the operator. They are few beside charges. */
import type { Migration } from './migration.ts';

export const transfersByTime: Migration = {
  id: '0034_transfers_by_time',
  statements: () => ['CREATE INDEX transfers_by_time ON transfers (created_at_ms, id)'],
};
