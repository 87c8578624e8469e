/** Logged requests by account, for members who delete what is stored. Only accounts that log pay for the index. */
import type { Migration } from './migration.ts';

export const requestLogsByAccount: Migration = {
  id: '0031_request_logs_by_account',
  statements: () => ['CREATE INDEX request_logs_by_account ON request_logs (account_id)'],
};
