/** The leases and beats as an operator sees them, on any database; SQLite has the gateway that serves it, and no beats. */
import type { Database } from '../database/database.ts';
import { int, intOrNull, type Row, text, textOrNull } from '../database/values.ts';

/** A lease, with what its holder wrote and how old its beat is. */
export interface ReportedLease {
  readonly name: string;
  readonly epoch: number;
  readonly holder: string | null;
  readonly process: string | null;
  readonly address: string | null;
  readonly protocol: number | null;
  readonly listingHash: string | null;
  /** Age of the holder's beat, by the server's clock; null without one. */
  readonly beatAgeMs: number | null;
}

/** Writes what a gateway sells by now, for readers of the cluster. */
export async function reportListing({ knex }: Database, gateway: number, listingHash: string): Promise<void> {
  await knex('leases')
    .where({ name: `gateway:${gateway}` })
    .whereNotNull('listing_hash')
    .update({ listing_hash: listingHash });
}

/** Every lease, by name. On SQLite a gateway that was killed is there until the next one starts. */
export async function reportLeases({ knex, address }: Database): Promise<ReportedLease[]> {
  const age = 'TIMESTAMPDIFF(MICROSECOND, beats.beat_at, UTC_TIMESTAMP(3)) DIV 1000';
  const rows: Row[] = await knex('leases')
    .leftJoin('beats', 'beats.gateway', 'leases.holder')
    .orderBy('leases.name')
    .select('leases.*', knex.raw(`${address.type === 'mysql' ? age : 'NULL'} AS age_ms`));
  return rows.map((row) => ({
    name: text(row.name),
    epoch: int(row.epoch),
    holder: textOrNull(row.holder),
    process: textOrNull(row.process),
    address: textOrNull(row.address),
    protocol: intOrNull(row.protocol),
    listingHash: textOrNull(row.listing_hash),
    beatAgeMs: intOrNull(row.age_ms),
  }));
}
