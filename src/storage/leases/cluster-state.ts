/** The tables of leases and beats as the state of a cluster: read by one statement, with the time of the server. */
import type { ClusterGateway, ClusterState, SharedLease } from '#cluster/ports.ts';
import { int, intOrNull, type Row, text, textOrNull } from '../database/values.ts';
import { LEASE_MS } from './beats.ts';

const GATEWAY = 'gateway:';

/** Every lease but that of a gateway which serves alone; each row has the time. */
export const READ_CLUSTER = `SELECT l.name, l.epoch, l.holder, l.process, l.address, l.protocol, l.listing_hash,
    TIMESTAMPDIFF(MICROSECOND, b.beat_at, NOW(3)) DIV 1000 AS age_ms,
    CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now_ms
  FROM leases l LEFT JOIN beats b ON l.name LIKE '${GATEWAY}%' AND b.gateway = SUBSTR(l.name, ${GATEWAY.length + 1})
  WHERE l.name <> '${GATEWAY}single'`;

/** Since when the reader has seen every beat that there was; before that, nobody counts as silent. */
interface Watch {
  readonly nowMs: number;
  readonly watchingSinceMs: number;
}

/**
 * Whether a gateway has registered and has not come to the end of its start: it has no orders and no address. One that
 * died on the way is no different from any other that is dead.
 */
export function isStarting({ address, adopter, beatAgeMs }: ClusterGateway): boolean {
  return address === '' && adopter === null && beatAgeMs !== null && beatAgeMs <= LEASE_MS;
}

/** The state in these rows. After an outage of the database all beats are old, although everybody lives. */
export function stateFrom(rows: readonly Row[], { nowMs, watchingSinceMs }: Watch): ClusterState {
  const isGateway = ({ name }: Row) => text(name).startsWith(GATEWAY);
  const gateways = rows.filter(isGateway).map(gatewayFrom);
  const known = (gateway: ClusterGateway): ClusterGateway =>
    gateway.beatAgeMs === null
      ? gateway
      : { ...gateway, beatAgeMs: Math.min(Math.abs(gateway.beatAgeMs), nowMs - watchingSinceMs) };
  return {
    nowMs,
    gateways: gateways.map(known).sort((one, other) => one.id - other.id),
    leases: rows.filter((row) => !isGateway(row)).map(leaseFrom),
  };
}

function gatewayFrom(row: Row): ClusterGateway {
  const id = int(text(row.name).slice(GATEWAY.length));
  const holder = intOrNull(row.holder);
  return {
    id,
    epoch: int(row.epoch),
    address: textOrNull(row.address) ?? '',
    process: textOrNull(row.process) ?? '',
    protocol: intOrNull(row.protocol) ?? 0,
    listingHash: textOrNull(row.listing_hash) ?? '',
    beatAgeMs: intOrNull(row.age_ms),
    adopter: holder === id ? null : holder,
  };
}

function leaseFrom(row: Row): SharedLease {
  return { name: text(row.name), epoch: int(row.epoch), holder: intOrNull(row.holder) };
}
