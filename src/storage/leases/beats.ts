/**
 * The beats of a gateway: every two seconds it tells the database that it lives. A gateway whose last beat is older than
 * `LEASE_MS` by the server's clock may be declared dead by another, which deletes the beat; one that still lives learns
 * it from its next beat, or from the fence of its next commit. The beat also compares the two clocks.
 */
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { openConnection, unlessSilent } from '../database/mysql-connection.ts';
import { int } from '../database/values.ts';

/** After this long without a beat a gateway may be declared dead. With 2 s, one that merely stalled was. */
export const LEASE_MS = 10_000;
/** How often a gateway beats: some beats may fail within a lease. */
export const BEAT_MS = 2_000;
/** A difference of the clocks that is logged: far above what NTP leaves, far below a quote's ten seconds. */
export const CLOCK_OFF_MS_MAX = 2_000;

/** What beats are made of. */
export interface BeatOptions {
  readonly url: string;
  /** The id of the gateway, whose beat exists already. */
  readonly gateway: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The beats of one gateway, on a connection of their own, which is opened again when it breaks. */
export class Beats {
  readonly #options: BeatOptions;
  readonly #lose: () => void;
  #connection: Connection | null;
  #timer: Timer | null = null;
  #failing = false;
  #clockOff = false;
  #clockAheadMs: number | null = null;
  #stopped = false;

  /** Takes `connection` over. `lose` is called when another gateway has declared this one dead. */
  constructor(connection: Connection, options: BeatOptions, lose: () => void) {
    this.#connection = connection;
    this.#options = options;
    this.#lose = lose;
    this.#beatLater();
  }

  /** How far this machine's clock was ahead of the server's at the last beat; null before the first. */
  get clockAheadMs(): number | null {
    return this.#clockAheadMs;
  }

  /** Stops, and gives the connection back; another one when it is broken. */
  async stop(): Promise<Connection> {
    this.#stopped = true;
    this.#timer?.cancel();
    const connection = this.#connection ?? (await openConnection(this.#options.url));
    this.#connection = null;
    return connection;
  }

  #beatLater(): void {
    this.#timer = this.#options.clock.after(BEAT_MS, () => {
      void this.#beat().then((alive) => {
        if (!alive && !this.#stopped) this.#lose();
        else if (!this.#stopped) this.#beatLater();
      });
    });
  }

  /** Whether this gateway still counts as alive. It does while the database cannot say otherwise. */
  async #beat(): Promise<boolean> {
    const { url, gateway, log } = this.#options;
    try {
      this.#connection ??= await openConnection(url);
      const connection = this.#connection;
      if (this.#stopped) {
        connection.destroy();
        return true;
      }
      const [{ affectedRows }] = await unlessSilent(
        connection.query<ResultSetHeader>('UPDATE beats SET beat_at = NOW(3) WHERE gateway = ?', [gateway]),
        LEASE_MS,
      );
      if (affectedRows === 0) return false;
      await this.#compareClocks(connection);
      if (this.#failing) log.info({}, 'The lease on the database is renewed again.');
      this.#failing = false;
    } catch (error) {
      this.#connection?.destroy();
      this.#connection = null;
      if (!this.#failing && !this.#stopped) {
        log.warn({ err: error }, 'The lease on the database could not be renewed; trying again.');
      }
      this.#failing = true;
    }
    return true;
  }

  async #compareClocks(connection: Connection): Promise<void> {
    const { clock, log } = this.#options;
    const askedMs = clock.nowMs();
    const [[row]] = await unlessSilent(
      connection.query<RowDataPacket[]>('SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now_ms'),
      LEASE_MS,
    );
    const answeredMs = clock.nowMs();
    const aheadMs = Math.round((askedMs + answeredMs) / 2) - int(row?.now_ms);
    this.#clockAheadMs = aheadMs;
    // The server may have read its clock at any time in between.
    const off = Math.abs(aheadMs) - Math.abs(answeredMs - askedMs) / 2 > CLOCK_OFF_MS_MAX;
    if (off === this.#clockOff) return;
    this.#clockOff = off;
    if (off) log.warn({ aheadMs }, "The clock of this machine differs from the database's: set both right (NTP).");
    else log.info({ aheadMs }, "The clock of this machine agrees with the database's again.");
  }
}
