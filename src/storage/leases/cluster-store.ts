/**
 * The leases and beats of a cluster on MySQL and MariaDB, as one of its gateways sees and changes them. Beats have a
 * connection of their own, because a change of hands may wait for a transaction. Each transaction here locks rows of
 * leases in the order of their names, and then at most rows of beats, so none of them can deadlock. Requests for many
 * markets at once go to the database once. docs/decisions/0039.
 */
import assert from 'node:assert';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { GatewayId, HeldSlot } from '#cluster/messages.ts';
import { type ClusterState, type ClusterStore, DEAD_MS } from '#cluster/ports.ts';
import { codec, column } from '../database/codec.ts';
import { mysql } from '../database/dialects/mysql.ts';
import { isGone } from '../database/process.ts';
import { flag, int, intOrNull, type Row, text, textOrNull } from '../database/values.ts';
import { gatewayLease, READ_CLUSTER, stateFrom } from './gateway-rows.ts';
import { Gathering } from './gathering.ts';
import { type FenceKind, freeLeases, type HeldLease, killHolders, NEXT_EPOCH, takeShared } from './leases.ts';
import { LeaseLine, together } from './session.ts';

/** How long a beat may take; a later one reports the same. */
const BEAT_MS_MAX = 3_000;
/** How long a change may take: longer than it may wait for a lock. */
const CHANGE_MS_MAX = 10_000;
/**
 * Without a beat of its own for this long, a gateway cannot say since when others are silent. A shorter outage makes
 * nobody look dead, and a gateway that is merely slow must notice the dead.
 */
const GAP_MS = DEAD_MS / 2;

/** What a store is made of. */
export interface ClusterStoreOptions {
  readonly url: string;
  /** The lease of its gateway, which has a beat. */
  readonly lease: HeldLease;
  readonly gateway: GatewayId;
  /** Default: `locks`. */
  readonly fence?: FenceKind;
}

type GatewaySlot = HeldSlot & { readonly gateway: GatewayId };

/** The store of one gateway, which `serving.ts` has registered. */
export class MysqlClusterStore implements ClusterStore {
  readonly #options: ClusterStoreOptions;
  readonly #self: string;
  readonly #beats: LeaseLine;
  readonly #changes: LeaseLine;
  readonly #takes: Gathering<HeldLease, number | null>;
  readonly #frees: Gathering<HeldLease, undefined>;
  readonly #slots: Gathering<string, readonly GatewaySlot[]>;
  /** The database's clock at the last beat, and since when there was none missing. */
  #lastMs: number | null = null;
  #watchingSinceMs = 0;

  constructor(options: ClusterStoreOptions) {
    this.#options = options;
    this.#self = String(options.gateway);
    this.#beats = new LeaseLine(options.url, BEAT_MS_MAX);
    this.#changes = new LeaseLine(options.url, CHANGE_MS_MAX);
    this.#takes = new Gathering(this.#changes, (connection, seen) =>
      takeShared(connection, seen, this.#self, options.fence),
    );
    this.#frees = new Gathering(this.#changes, async (connection, held) => {
      await freeLeases(connection, held);
      return held.map(() => undefined);
    });
    this.#slots = new Gathering(this.#changes, readSlots);
  }

  async beat(): Promise<ClusterState | null> {
    const [beaten, rows] = await this.#beats.run(async (connection) => {
      const sql = `UPDATE beats SET beat_at = NOW(3) WHERE gateway = ?; ${READ_CLUSTER}`;
      const [answers] = await connection.query<RowDataPacket[][]>(sql, [this.#self]);
      const [header, read = []] = answers as unknown as [ResultSetHeader, Row[]];
      return [header.affectedRows === 1, read] as const;
    });
    if (!beaten) return null;
    const nowMs = int(rows[0]?.now_ms);
    // Also when the clock of the server was set back: then all beats are of the future.
    const missed = this.#lastMs === null || nowMs < this.#lastMs || nowMs - this.#lastMs > GAP_MS;
    if (missed) this.#watchingSinceMs = nowMs;
    this.#lastMs = nowMs;
    return stateFrom(rows, { nowMs, watchingSinceMs: this.#watchingSinceMs });
  }

  take(name: string, seenEpoch: number): Promise<number | null> {
    return this.#takes.ask({ name, epoch: seenEpoch });
  }

  /** Ends the start of this gateway: from now on the others reckon with it. */
  async serve(): Promise<void> {
    const { name, epoch } = this.#options.lease;
    const sql = "UPDATE leases SET state = 'serving' WHERE name = ? AND epoch = ?";
    await this.#changes.run((connection) => connection.query(sql, [name, epoch]));
  }

  free(name: string, epoch: number): Promise<void> {
    return this.#frees.ask({ name, epoch });
  }

  /** The lease row is locked before the beat: a beat waits for nobody for long. */
  bury(gateway: GatewayId, epoch: number): Promise<boolean> {
    assert(gateway !== this.#options.gateway, 'a gateway does not declare itself dead');
    const name = gatewayLease(gateway);
    return this.#changes.run(async (connection) => {
      const seen = await readGateway(connection, gateway, '');
      if (seen?.holder === this.#self) return true;
      if (seen?.epoch !== epoch || !isDead(gateway, seen)) return false;
      await killHolders(connection, [name], this.#self);
      return together(connection, async () => {
        const now = await readGateway(connection, gateway, mysql.forUpdate);
        if (now?.epoch !== epoch || !isDead(gateway, now)) return false;
        const sql = `UPDATE leases SET holder = ?, state = 'adopted', connection_id = NULL, epoch = ${NEXT_EPOCH}
          WHERE name = ?`;
        await connection.query(sql, [this.#self, name]);
        await connection.query('DELETE FROM beats WHERE gateway = ?', [String(gateway)]);
        return true;
      });
    });
  }

  async passOn(gateway: GatewayId, to: GatewayId): Promise<void> {
    const sql = 'UPDATE leases SET holder = ? WHERE name = ? AND holder = ?';
    await this.#changes.run((connection) => connection.query(sql, [String(to), gatewayLease(gateway), this.#self]));
  }

  async forget(gateway: GatewayId): Promise<void> {
    const sql = 'DELETE FROM leases WHERE name = ? AND holder = ?';
    await this.#changes.run((connection) => connection.query(sql, [gatewayLease(gateway), this.#self]));
  }

  async slotsHeld(model: string, reported: readonly GatewayId[]): Promise<readonly GatewaySlot[]> {
    const slots = await this.#slots.ask(model);
    return slots.filter(({ gateway }) => !reported.includes(gateway));
  }

  /** Leaves the cluster: frees all that it holds, its own lease last. Others then adopt its unfinished rows. */
  async leave(): Promise<void> {
    const { lease } = this.#options;
    try {
      await this.#changes.run(async (connection) => {
        const sql = "SELECT name, epoch FROM leases WHERE holder = ? AND name NOT LIKE 'gateway:%'";
        const [rows] = await connection.query<RowDataPacket[]>(sql, [this.#self]);
        await freeLeases(
          connection,
          rows.map(({ name, epoch }) => ({ name: text(name), epoch: int(epoch) })),
        );
        await together(connection, async () => {
          await freeLeases(connection, [lease]);
          await connection.query("UPDATE leases SET state = 'left' WHERE name = ? AND holder IS NULL", [lease.name]);
          await connection.query('DELETE FROM beats WHERE gateway = ?', [this.#self]);
        });
      });
    } finally {
      await Promise.all([this.#changes.close(), this.#beats.close()]);
    }
  }
}

interface Burial {
  readonly epoch: number;
  readonly holder: string | null;
  readonly process: string | null;
  /** Of the gateway itself; null when it has no beat. */
  readonly ageMs: number | null;
  /** Whether the holder, which is its adopter or itself, has a beat. */
  readonly holderBeats: boolean;
}

/** Null when the gateway has no lease. `lock` ends both statements. */
async function readGateway(connection: Connection, gateway: GatewayId, lock: string): Promise<Burial | null> {
  const lease = `SELECT epoch, holder, process FROM leases WHERE name = ?${lock}`;
  const [[row]] = await connection.query<RowDataPacket[]>(lease, [gatewayLease(gateway)]);
  if (!row) return null;
  const holder = textOrNull(row.holder);
  const age = 'SELECT gateway, TIMESTAMPDIFF(MICROSECOND, beat_at, NOW(3)) DIV 1000 AS age_ms FROM beats';
  const [beats] = await connection.query<RowDataPacket[]>(`${age} WHERE gateway IN (?, ?) ORDER BY gateway${lock}`, [
    String(gateway),
    holder ?? String(gateway),
  ]);
  const beatOf = (id: string | null) => beats.find((beat) => beat.gateway === id);
  return {
    epoch: int(row.epoch),
    holder,
    process: textOrNull(row.process),
    ageMs: intOrNull(beatOf(String(gateway))?.age_ms),
    holderBeats: beatOf(holder) !== undefined,
  };
}

/** It left, or was silent for too long, or its process has ended; or the gateway that declared it dead is dead, too. */
function isDead(gateway: GatewayId, { holder, process, ageMs, holderBeats }: Burial): boolean {
  if (holder !== null && holder !== String(gateway)) return !holderBeats;
  if (ageMs === null || Math.abs(ageMs) > DEAD_MS) return true;
  return process !== null && isGone(process);
}

/** The slots that orders of each of these models hold. */
async function readSlots(connection: Connection, models: readonly string[]): Promise<(readonly GatewaySlot[])[]> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT id, model, account_id, attempt, pod, bid, rested_seq, house, boot_epoch
     FROM ${mysql.by('orders', 'orders_by_status')} WHERE status = 'executing' AND model IN (?)`,
    [models],
  );
  const slots = Map.groupBy(rows.map(slotFrom), ({ model }) => model);
  return models.map((model) => slots.get(model) ?? []);
}

const { from: slotFrom } = codec<GatewaySlot>({
  model: text,
  order: column('id', text),
  account: column('account_id', text),
  attempt: int,
  pod: text,
  bid: int,
  restedSeq: int,
  house: flag,
  gateway: column('boot_epoch', int),
});
