/**
 * Batches and their lines.
 *
 * - `batches`: the counts move in the transactions that end lines, so nobody ever counts lines. `active` are orders that
 *   live; `completed` and `failed` are ended lines, `expired` and `canceled` parts of the failed ones; `placed` are those
 *   that stand in a file. The two byte counts say how much of each file is true: what a crash left behind them is cut.
 *   `tariffs` and `price_limits` are what the batch was created with, by model.
 * - `batch_lines`: one row for each line that is an order (`order_id`) or failed without becoming one (`status`, `error`).
 *   `placed` is the file that has it: output or errors.
 *
 * Custom ids are stored as JSON spells them (`custom-id.ts`), so `orders` gets room for long ones where TEXT is short.
 */
import type { Migration } from './migration.ts';

export const batches: Migration = {
  id: '0010_batches',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS batches (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      key_id VARCHAR(64) NULL,
      kind VARCHAR(16) NOT NULL,
      status VARCHAR(16) NOT NULL,
      input_file_id VARCHAR(64) NOT NULL,
      output_file_id VARCHAR(64) NOT NULL,
      error_file_id VARCHAR(64) NOT NULL,
      price_limit BIGINT NULL,
      price_limits ${dialect.longText} NOT NULL,
      tariffs ${dialect.longText} NOT NULL,
      retention_days INT NOT NULL,
      log_payloads SMALLINT NOT NULL,
      metadata TEXT NULL,
      errors TEXT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      in_progress_at_ms BIGINT NULL,
      cancelling_at_ms BIGINT NULL,
      ended_at_ms BIGINT NULL,
      total BIGINT NULL,
      active BIGINT NOT NULL,
      completed BIGINT NOT NULL,
      failed BIGINT NOT NULL,
      expired BIGINT NOT NULL,
      canceled BIGINT NOT NULL,
      placed BIGINT NOT NULL,
      output_bytes BIGINT NOT NULL,
      error_bytes BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX batches_by_account ON batches (account_id, id)',
    'CREATE INDEX batches_by_status ON batches (status, id)',
    'CREATE INDEX batches_by_input ON batches (input_file_id)',
    `CREATE TABLE IF NOT EXISTS batch_lines (
      batch_id VARCHAR(64) NOT NULL,
      line BIGINT NOT NULL,
      custom_id ${dialect.longText} NOT NULL,
      order_id VARCHAR(36) NULL,
      status VARCHAR(16) NULL,
      error VARCHAR(64) NULL,
      error_message TEXT NULL,
      placed VARCHAR(8) NULL,
      PRIMARY KEY (batch_id, line)
    ) ${dialect.clusteredTable}`,
    ...dialect.widenText('orders', 'custom_id'),
  ],
};
