/**
 * The fence: what every transaction that a gateway relies on reads first. It locks the row of the lease for reading, so
 * the gateway that takes the lease over waits for the transaction, and none of the former holder begins after that. A plain read
 * would not do: the new holder could read the books while a commit that read the old epoch is still to come.
 */
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import { DEAD_MS } from '#cluster/ports.ts';
import { DatabaseRefused } from '../database/refusal.ts';
import { int, type Row } from '../database/values.ts';
import { COUNT, type FenceKind, type HeldLease } from './leases.ts';

/** Without a beat for so long a gateway stores nothing more where others do: in `DEAD_MS` it may be dead to them. */
const UNSURE_MS = DEAD_MS - 4_000;

/**
 * Files are what a fence cannot guard. A gateway that was paused, or cannot beat, may have been declared dead without
 * knowing, so it stores none until it has beaten again.
 */
export function storingWhileBeating(machineClock: Pick<Clock, 'monotonicMs'>): {
  /** A beat has succeeded. */
  readonly beaten: () => void;
  readonly mayStore: () => boolean;
} {
  let beatenAtMs = machineClock.monotonicMs();
  return {
    beaten() {
      beatenAtMs = machineClock.monotonicMs();
    },
    mayStore: () => machineClock.monotonicMs() - beatenAtMs < UNSURE_MS,
  };
}

/** The lease has another holder: nothing of this gateway commits any more, and retrying cannot help. */
export class LeaseLost extends DatabaseRefused {
  constructor() {
    super('another gateway has taken it over; stop one of the two');
  }
}

interface BoundStatement {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** The lease of a market: its epoch says under which owner an admission, a level or a quote may commit. */
export function marketLease(model: string): string {
  return `market:${model}`;
}

/** What fences the transactions of one gateway. On SQLite, which has no leases, the boot epoch is the only one. */
export interface Fence {
  /** The lease, and the epoch that it must have: for a transaction that checks it without reading it. */
  readonly lease: HeldLease;
  /** Follows BEGIN, before anything is read; null where row locks count for every writer. See `FenceKind`. */
  readonly count: BoundStatement | null;
  /** Follows BEGIN; `check` gets its rows. */
  readonly read: BoundStatement;
  /** The same statement, which locks and reads these leases as well; those that do not exist have no row. */
  readWith(leases: readonly string[]): BoundStatement;
  /** Throws LeaseLost unless the lease is still held. */
  check(rows: readonly Row[]): void;
  /** Another gateway has it. */
  lose(): void;
  /** Run once on a connection that will commit for long, so that the gateway that takes over can end it. */
  readonly note: BoundStatement;
}

interface FenceParts {
  readonly kind?: FenceKind;
  readonly readOf?: ReadLeases;
}

/** The fence of a held lease. `lose` is called when another gateway has it. */
export function fenceOf(lease: HeldLease, lose: () => void, parts: FenceParts = {}): Fence {
  const { kind = 'locks', readOf = readShared } = parts;
  const { name, epoch } = lease;
  return {
    lease,
    lose,
    count: kind === 'locks' ? null : { sql: COUNT, params: [name] },
    read: readOf([name]),
    readWith: (leases) => readOf([name, ...leases]),
    check(rows) {
      if (int(rows.find((row) => row.name === name)?.epoch) === epoch) return;
      lose();
      throw new LeaseLost();
    },
    note: {
      sql: 'UPDATE leases SET connection_id = CONNECTION_ID() WHERE name = ? AND epoch = ?',
      params: [name, epoch],
    },
  };
}

/** The fence of a gateway that serves a SQLite file under this boot epoch, which the next gateway raises. */
export function bootFence(epoch: number, lose: () => void): Fence {
  const sql = 'SELECT name, value AS epoch FROM counters WHERE name = ?';
  return fenceOf({ name: 'boot', epoch }, lose, { readOf: () => ({ sql, params: ['boot'] }) });
}

type ReadLeases = (names: readonly string[]) => BoundStatement;

/** FOR SHARE is not known to MariaDB. */
function readShared(names: readonly string[]): BoundStatement {
  const marks = names.map(() => '?').join(', ');
  return { sql: `SELECT name, epoch FROM leases WHERE name IN (${marks}) LOCK IN SHARE MODE`, params: names };
}

/** Fences a transaction of a store. Call it first; throws LeaseLost. Does nothing without a fence. */
export async function checkFence(trx: Knex.Transaction, fence: Fence | null): Promise<void> {
  if (fence === null) return;
  if (fence.count) await trx.raw(fence.count.sql, [...fence.count.params]);
  const answer = await trx.raw(fence.read.sql, [...fence.read.params]);
  // SQLite answers with the rows, MySQL with these and the columns.
  fence.check(Array.isArray(answer[0]) ? answer[0] : answer);
}
