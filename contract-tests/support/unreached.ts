/**
 * Documented statuses that a run cannot reach, each with the reason. A line whose status is seen
 * fails the run, so these lists can only shrink with the work.
 */
import type { OperationId } from '#generated/operations.ts';
import { hasDatabaseServer } from './database.ts';

type Unreached = Readonly<Partial<Record<`${OperationId} ${number}`, string>>>;

const DATABASE_GONE = 'A SQLite file cannot vanish from under the gateway; the run on MariaDB sees this.';

/** What only a run on a database server can reach. */
const onlyWithAServer: Unreached = {
  'listOrders 503': DATABASE_GONE,
  'getOrder 503': DATABASE_GONE,
  'cancelOrder 503': DATABASE_GONE,
  'getAccount 503': DATABASE_GONE,
  'updateAccount 503': DATABASE_GONE,
  'listUsage 503': DATABASE_GONE,
  'getUptime 503': DATABASE_GONE,
  'getTokenStatistics 503': DATABASE_GONE,
  'getModelStatistics 503': DATABASE_GONE,
  'getMarketHistory 503': DATABASE_GONE,
  'getMarketCandles 503': DATABASE_GONE,
  'getOrderResult 503': DATABASE_GONE,
  'deleteOrderResult 503': DATABASE_GONE,
  'listFiles 503': DATABASE_GONE,
  'getFile 503': DATABASE_GONE,
  'deleteFile 503': DATABASE_GONE,
};

/** `operationId status` to the reason, for the run at hand. */
export const unreached: Unreached = hasDatabaseServer ? {} : onlyWithAServer;
