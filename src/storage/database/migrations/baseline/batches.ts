/**
 * Files and batches.
 *
 * - `files`: the bytes of a file count in `accounts.stored_bytes` unless `content_gone`. The indexes serve the list, the
 *   list of one purpose, the sweep and the eviction of an account's oldest files; `0065_files_by_creation.ts` replaces them.
 * - `batches`: the counts move in the transactions that end lines, so nothing ever counts lines. `active` are live orders;
 *   `completed` and `failed` are ended lines, `expired` and `canceled` are parts of the failed ones; `placed` lines stand in
 *   a file. The two byte counts say how much of each file is valid: what a crash left behind them is cut off. `tariffs`
 *   and `price_limits` are those of the creation, by model; so are `key_models` and `key_budgeted`. `boot_epoch` is the
 *   gateway that runs the batch. `deadline_ms` is null unless the market bids for the lines.
 * - `batch_lines`: a line that is an order (`order_id`) or that failed before it became one (`status`, `error`). The
 *   `error_message` of an order's line is a warning about misspelt names. `placed` is the file that has it. Custom ids are stored as JSON spells them (`custom-id.ts`).
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function batchTables(dialect: Dialect): readonly string[] {
  return [...files(dialect), ...batches(dialect), batchLines(dialect)];
}

function files({ clusteredTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS files (
      id VARCHAR(40) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      purpose VARCHAR(16) NOT NULL,
      filename VARCHAR(255) NOT NULL,
      bytes BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      content_gone SMALLINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE INDEX files_by_account ON files (account_id, id)',
    'CREATE INDEX files_by_purpose ON files (account_id, purpose, id)',
    'CREATE INDEX files_by_expiry ON files (content_gone, expires_at_ms, id)',
    'CREATE INDEX files_by_age ON files (account_id, content_gone, id)',
  ];
}

function batches({ clusteredTable, longText }: Dialect): readonly string[] {
  return [
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
      price_limits ${longText} NOT NULL,
      tariffs ${longText} NOT NULL,
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
      error_bytes BIGINT NOT NULL,
      boot_epoch BIGINT NOT NULL DEFAULT 0,
      key_models TEXT NULL,
      key_budgeted SMALLINT NOT NULL DEFAULT 0,
      deadline_ms BIGINT NULL
    ) ${clusteredTable}`,
    'CREATE INDEX batches_by_account ON batches (account_id, id)',
    'CREATE INDEX batches_by_status ON batches (status, id)',
    'CREATE INDEX batches_by_input ON batches (input_file_id)',
  ];
}

function batchLines({ clusteredTable, longText }: Dialect): string {
  return `CREATE TABLE IF NOT EXISTS batch_lines (
      batch_id VARCHAR(64) NOT NULL,
      line BIGINT NOT NULL,
      custom_id ${longText} NOT NULL,
      order_id VARCHAR(36) NULL,
      status VARCHAR(16) NULL,
      error VARCHAR(64) NULL,
      error_message TEXT NULL,
      placed VARCHAR(8) NULL,
      PRIMARY KEY (batch_id, line)
    ) ${clusteredTable}`;
}
