/**
 * An account with very many orders, made by the database itself: a million rows in half a minute. Thirty days of them,
 * evenly, with models, kinds and statuses from common to rare, ten batches of a tenth of the orders, and up to two
 * thousand still queued. Settlements and sums are what the gateway would have written.
 */
import type { Database } from '#storage/database.ts';
import { orderDays } from '#storage/migrations/0003_order_days.ts';
import { orderHours } from '#storage/migrations/0012_order_hours.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const CHUNK = 50_000;

/** Numbers of one account that the questions are asked about. */
export interface Filled {
  readonly accountId: string;
  readonly orders: number;
  /** When the first order was made, and the milliseconds from each to the next. */
  readonly firstMs: number;
  readonly stepMs: number;
}

/** Fills in `orders` of an account, the last of them at `endMs`. A second account's ids need another `mark`. */
export async function fillOrders(
  { knex, dialect }: Database,
  { accountId, orders, endMs, mark }: { accountId: string; orders: number; endMs: number; mark: number },
): Promise<Filled> {
  const stepMs = Math.floor((DAYS * DAY_MS) / orders);
  const firstMs = endMs - stepMs * orders;
  const hex = (expression: string, digits: number) =>
    dialect.name === 'sqlite'
      ? `printf('%0${digits}x', ${expression})`
      : `LPAD(LOWER(HEX(${expression})), ${digits}, '0')`;
  for (let start = 0; start < orders; start += CHUNK) {
    const end = Math.min(start + CHUNK, orders);
    await knex.raw(
      `INSERT INTO orders (id, account_id, kind, model, status, bid, price_limit, price_lock, tariff_id, created_at_ms,
         admitted_at_ms, finished_at_ms, expires_at_ms, level_at_execution, level_seq, price_cap, attempt, failures, hold,
         pod, error, error_message, detached, outlives, house, batch_id, custom_id, prompt_bound, prompt_estimate,
         output_cap, result_state, retention_days, boot_epoch)
       WITH RECURSIVE low (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM low WHERE number < 499),
         numbered (number) AS (
           SELECT ${start} + high.number * 500 + low.number FROM low CROSS JOIN low AS high
           WHERE high.number * 500 + low.number < ${end - start}
         ),
         placed (number, at_ms, status, model, kind, batch) AS (
           SELECT number, ${firstMs} + number * ${stepMs},
             CASE WHEN number >= ${orders - Math.min(2000, orders / 10)} THEN 'queued'
               WHEN number * 7919 % 100 < 70 THEN 'done' WHEN number * 7919 % 100 < 90 THEN 'canceled'
               WHEN number * 7919 % 10000 < 9999 THEN 'expired' ELSE 'error' END,
             CASE WHEN number * 104729 % 1000 < 900 THEN 'tide-70b' WHEN number * 104729 % 1000 < 990 THEN 'brook-8b'
               WHEN number * 104729 % 1000 < 999 THEN 'rock-8b' ELSE 'rare-1b' END,
             CASE WHEN number * 31 % 100 < 70 THEN 'chat' WHEN number * 31 % 100 < 90 THEN 'messages'
               WHEN number * 31 % 1000 < 999 THEN 'responses' ELSE 'completion' END,
             CAST((number - number % ${orders / 100}) / ${orders / 100} AS SIGNED)
           FROM numbered
         )
       SELECT CONCAT(SUBSTR(${hex('at_ms', 12)}, 1, 8), '-', SUBSTR(${hex('at_ms', 12)}, 9, 4), '-7000-8${mark}00-',
           ${hex('number', 12)}),
         ?, kind, model, status, 1000000000, CASE WHEN model = 'rock-8b' THEN NULL ELSE 1000000000 END, 0,
         'market:100000000:1000000000:4000000000', at_ms, CASE WHEN status = 'done' THEN at_ms + 5 ELSE NULL END,
         CASE WHEN status = 'queued' THEN NULL ELSE at_ms + 900 END, at_ms + 600000,
         CASE WHEN status = 'done' THEN 420000000 ELSE NULL END, CASE WHEN status = 'done' THEN 1 ELSE NULL END,
         CASE WHEN status = 'done' THEN 420000000 ELSE NULL END, 1, 0, 0, 'sim-1',
         CASE WHEN status IN ('queued', 'done') THEN NULL ELSE 'client_closed' END, NULL, 0, 0, 0,
         CASE WHEN batch % 10 = 3 THEN CONCAT('batch_', batch) ELSE NULL END, NULL, 100, 60, 1000, 'none', 0, 1
       FROM placed`,
      [accountId],
    );
  }
  await knex.raw(
    `INSERT INTO usage_records (order_id, account_id, model, created_at_ms, prompt_tokens, cached_tokens, output_tokens,
       level_at_execution, charged, refunded, written_off, at_bid, estimated, pricing)
     SELECT id, account_id, model, finished_at_ms, 1000, 700, 50, 420000000, 841463, 0, 0, 2003484, 0,
       CASE WHEN price_limit IS NULL THEN 'fixed' ELSE 'market' END
     FROM orders WHERE account_id = ? AND status = 'done'`,
    [accountId],
  );
  return { accountId, orders, firstMs, stepMs };
}

/** The sums that the journal would have kept, from the rows. Once, after every account is filled in. */
export async function sumOrders({ knex, dialect }: Database): Promise<void> {
  for (const migration of [orderDays, orderHours]) {
    const statements = migration.statements(dialect).filter((statement) => /^(DELETE|INSERT)/.test(statement));
    for (const statement of statements) await knex.raw(statement);
  }
  await knex.raw(
    `INSERT INTO usage_days (account_id, day, model, requests, charged)
     SELECT account_id, (created_at_ms - created_at_ms % ${DAY_MS}) / ${DAY_MS}, model, COUNT(*), SUM(charged - refunded)
     FROM usage_records GROUP BY 1, 2, 3`,
  );
}
