/**
 * The rows of gateways in the tables of leases and beats. A gateway registers as `starting`, is `serving` once the others
 * may reckon with it, and ends as `left` or, if it was declared dead, as `adopted` by another one. Its row is deleted
 * when nothing of it is left. All times are the server's.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { ClusterGateway, ClusterState, GatewayState } from '#cluster/ports.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { mysql } from '../database/dialects/mysql.ts';
import { thisProcess } from '../database/process.ts';
import { int, intOrNull, type Row, text, textOrNull } from '../database/values.ts';
import type { HeldLease } from './leases.ts';
import { together } from './session.ts';

const NOW_MS = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';
const GATEWAY = 'gateway:';

/** Every lease; each row has the time. */
export const READ_CLUSTER = `SELECT l.name, l.epoch, l.holder, l.state, l.process, l.address, l.protocol,
    TIMESTAMPDIFF(MICROSECOND, b.beat_at, NOW(3)) DIV 1000 AS age_ms, ${NOW_MS} AS now_ms
  FROM leases l LEFT JOIN beats b ON l.name LIKE '${GATEWAY}%' AND b.gateway = SUBSTR(l.name, ${GATEWAY.length + 1})`;

/** The lease of a gateway. */
export function gatewayLease(gateway: GatewayId): string {
  return `${GATEWAY}${gateway}`;
}

/** What a gateway says about itself to others; `address` is the `host:port` where they reach it. */
export interface PeerTerms {
  readonly address: string;
  readonly protocol: number;
  readonly listingHash: string;
}

/**
 * Registers a gateway under the next boot epoch, with its lease and its beat, in one transaction: a gateway with a higher
 * number sees it. Without `peer` it serves alone.
 */
export async function registerGateway(
  connection: Connection,
  peer: PeerTerms | null,
): Promise<{ readonly gateway: GatewayId; readonly lease: HeldLease }> {
  return together(connection, async () => {
    await connection.query(
      "INSERT INTO counters (name, value) VALUES ('boot', 1) ON DUPLICATE KEY UPDATE value = value + 1",
    );
    const [[counter]] = await connection.query<RowDataPacket[]>("SELECT value FROM counters WHERE name = 'boot'");
    const gateway = int(counter?.value);
    const name = gatewayLease(gateway);
    const { address, protocol, listingHash } = peer ?? { address: null, protocol: null, listingHash: null };
    await connection.query(
      `INSERT INTO leases (name, epoch, holder, state, process, address, protocol, listing_hash)
       VALUES (?, ${NOW_MS}, ?, 'starting', ?, ?, ?, ?)`,
      [name, String(gateway), thisProcess(), address, protocol, listingHash],
    );
    await connection.query('INSERT INTO beats (gateway, beat_at) VALUES (?, NOW(3))', [String(gateway)]);
    const [[lease]] = await connection.query<RowDataPacket[]>('SELECT epoch FROM leases WHERE name = ?', [name]);
    return { gateway, lease: { name, epoch: int(lease?.epoch) } };
  });
}

/**
 * Gives a lease to each boot epoch below `self` that has live orders or active batches and no lease, with `self` as its
 * adopter. Such a process can commit nothing: every gateway has a lease from its registration until all that it had is
 * adopted or recovered.
 */
export async function registerOrphans(connection: Connection, self: GatewayId): Promise<void> {
  const active = ACTIVE_STATUSES.map(() => '?').join(', ');
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT DISTINCT left_by.boot_epoch FROM (
       SELECT DISTINCT boot_epoch FROM ${mysql.by('orders', 'orders_by_status')} WHERE ${LIVE}
       UNION SELECT DISTINCT boot_epoch FROM batches WHERE status IN (${active})
     ) AS left_by LEFT JOIN leases ON leases.name = CONCAT('${GATEWAY}', left_by.boot_epoch)
     WHERE left_by.boot_epoch < ? AND leases.name IS NULL`,
    [...ACTIVE_STATUSES, self],
  );
  for (const { boot_epoch } of rows)
    await connection.query(
      `INSERT IGNORE INTO leases (name, epoch, holder, state) VALUES (?, ${NOW_MS}, ?, 'adopted')`,
      [gatewayLease(int(boot_epoch)), String(self)],
    );
}

/**
 * The cluster in the rows of `READ_CLUSTER`. `watchingSinceMs`: since when the reader has seen every beat that there was.
 * No gateway counts as silent for longer: after an outage of the database all beats are old, although everybody lives.
 */
export function stateFrom(
  rows: readonly Row[],
  { nowMs, watchingSinceMs }: { readonly nowMs: number; readonly watchingSinceMs: number },
): ClusterState {
  const isGateway = ({ name }: Row) => text(name).startsWith(GATEWAY);
  const known = (row: Row): ClusterGateway => {
    const state = text(row.state) as GatewayState;
    const ageMs = intOrNull(row.age_ms);
    return {
      id: idOf(text(row.name)),
      epoch: int(row.epoch),
      state,
      address: textOrNull(row.address) ?? '',
      process: textOrNull(row.process) ?? '',
      protocol: intOrNull(row.protocol) ?? 0,
      beatAgeMs: ageMs === null ? null : Math.min(Math.abs(ageMs), nowMs - watchingSinceMs),
      adopter: state === 'adopted' ? intOrNull(row.holder) : null,
    };
  };
  const gateways = rows.filter(isGateway).map(known);
  return {
    nowMs,
    gateways: gateways.sort((one, other) => one.id - other.id),
    leases: rows
      .filter((row) => !isGateway(row))
      .map(({ name, epoch, holder }) => ({ name: text(name), epoch: int(epoch), holder: intOrNull(holder) })),
  };
}

/** The number in the name of a gateway's lease. */
export function idOf(lease: string): GatewayId {
  return int(lease.slice(GATEWAY.length));
}
