/** The rows of gateways in the table of leases: a new one, and those of processes that have left orders without a lease. */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { GatewayId } from '#cluster/messages.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { mysql } from '../database/dialects/mysql.ts';
import { thisProcess } from '../database/process.ts';
import { int } from '../database/values.ts';
import type { HeldLease } from './leases.ts';
import { together } from './session.ts';

const NOW_MS = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';

/** The lease of a gateway of a cluster. */
export function gatewayLease(gateway: GatewayId): string {
  return `gateway:${gateway}`;
}

/** What other gateways must know of one. */
export interface GatewayTerms {
  readonly protocol: number;
  readonly listingHash: string;
}

/**
 * Registers a gateway under the next boot epoch, with its lease and its beat, in one transaction: whoever has a higher
 * number sees it. It has no address, which says that it is starting: see `announceGateway`.
 */
export async function registerGateway(
  connection: Connection,
  { protocol, listingHash }: GatewayTerms,
): Promise<{ readonly gateway: GatewayId; readonly lease: HeldLease }> {
  return together(connection, async () => {
    await connection.query(
      "INSERT INTO counters (name, value) VALUES ('boot', 1) ON DUPLICATE KEY UPDATE value = value + 1",
    );
    const [[counter]] = await connection.query<RowDataPacket[]>("SELECT value FROM counters WHERE name = 'boot'");
    const gateway = int(counter?.value);
    const name = gatewayLease(gateway);
    await connection.query(
      `INSERT INTO leases (name, epoch, holder, process, protocol, listing_hash) VALUES (?, ${NOW_MS}, ?, ?, ?, ?)`,
      [name, String(gateway), thisProcess(), protocol, listingHash],
    );
    await connection.query('INSERT INTO beats (gateway, beat_at) VALUES (?, NOW(3))', [String(gateway)]);
    const [[lease]] = await connection.query<RowDataPacket[]>('SELECT epoch FROM leases WHERE name = ?', [name]);
    return { gateway, lease: { name, epoch: int(lease?.epoch) } };
  });
}

/** Ends the start of a gateway: from now on the others reckon with it, at this address. */
export async function announceGateway(
  connection: Connection,
  { name, epoch }: HeldLease,
  address: string,
): Promise<void> {
  await connection.query('UPDATE leases SET address = ? WHERE name = ? AND epoch = ?', [address, name, epoch]);
}

/**
 * Gives a lease to each boot epoch below `self` that has live orders or active batches and no lease, with `self` as its
 * adopter. Such a process ended before there was a cluster, and can commit nothing: every gateway of a cluster has a
 * lease from its registration until all that it had is adopted.
 */
export async function registerOrphans(connection: Connection, self: GatewayId): Promise<void> {
  const active = ACTIVE_STATUSES.map(() => '?').join(', ');
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT DISTINCT left_by.boot_epoch FROM (
       SELECT DISTINCT boot_epoch FROM ${mysql.by('orders', 'orders_by_status')} WHERE ${LIVE}
       UNION SELECT DISTINCT boot_epoch FROM batches WHERE status IN (${active})
     ) AS left_by LEFT JOIN leases ON leases.name = CONCAT('gateway:', left_by.boot_epoch)
     WHERE left_by.boot_epoch < ? AND leases.name IS NULL`,
    [...ACTIVE_STATUSES, self],
  );
  for (const { boot_epoch } of rows)
    await connection.query(`INSERT IGNORE INTO leases (name, epoch, holder) VALUES (?, ${NOW_MS}, ?)`, [
      gatewayLease(int(boot_epoch)),
      String(self),
    ]);
}
