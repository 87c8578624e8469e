/** How this gateway comes to serve its database: alone, or beside others that it can be reached by. */
import assert from 'node:assert';
import { type Clock, type SteadyClock, setClock, steadyClock } from '#base/clock.ts';
import type { ClusterExchangeOptions } from '#cluster/markets/cluster-exchange.ts';
import { PROTOCOL } from '#cluster/messages.ts';
import { Calls } from '#cluster/peers/calls.ts';
import type { WebSocketPeers } from '#cluster/peers/web-socket-peers.ts';
import type { Config } from '#config/config.ts';
import type { Database } from '#storage/database/database.ts';
import { lastWrittenMs } from '#storage/database/last-written.ts';
import { storingWhileBeating } from '#storage/leases/fence.ts';
import type { GatewayPlace } from '#storage/leases/place.ts';
import { type ServingRight, takeServing } from '#storage/leases/serving.ts';
import { listingHash } from './configuration.ts';
import { checkSharedFolder } from './data.ts';
import type { Outside } from './storage.ts';

type Options = Omit<Outside, 'ids'>;
type PeerSettings = NonNullable<Config['peer']>;

/** What a gateway has of its cluster before anything is built. */
export interface Joined {
  readonly joined: GatewayPlace;
  readonly peers: WebSocketPeers;
  readonly calls: Calls;
  /** False when this gateway may have been declared dead without knowing: it was paused, or cannot beat. */
  readonly mayStore: () => boolean;
}

/** What the exchange asks of parts that are built after it. */
export type ExchangeLinks = Pick<ClusterExchangeOptions, 'standing' | 'askCapacity' | 'onLost'>;

/** The cluster, as far as it is known before the market is built. */
export interface ClusterLinks extends Pick<Joined, 'joined' | 'calls'> {
  readonly links: ExchangeLinks;
}

/** The right to serve, and the clock that everything is stamped with. */
export interface Serving {
  readonly right: ServingRight;
  readonly clock: SteadyClock;
  /** Null where one gateway serves alone. */
  readonly cluster: Joined | null;
}

/**
 * Takes the right to serve `db`. Rejects with DatabaseInUse beside a gateway that does not share it, DatabaseRefused
 * where several gateways cannot be kept apart or keep their data in different folders.
 */
export async function startServing(db: Database, options: Options): Promise<Serving> {
  const { clock, log, config } = options;
  if (config.peer) return join(db, options, config.peer);
  const right = await takeServing(db, { clock, log, peer: null });
  return { right, clock: await steadied(db, clock, options), cluster: null };
}

async function join(db: Database, options: Options, settings: PeerSettings): Promise<Serving> {
  const { clock: machineClock, log, random, config } = options;
  const clock = setClock(machineClock);
  let steady: SteadyClock | null = null;
  // Loaded here because a gateway that serves alone needs no sessions.
  const { WebSocketPeers } = await import('#cluster/peers/web-socket-peers.ts');
  const peers = new WebSocketPeers({
    ...{ protocol: PROTOCOL, settings, random, log, clock },
    onPeerTime: (nowMs) => steady?.follow(nowMs),
  });
  let right: ServingRight | null = null;
  try {
    const { beaten, mayStore } = storingWhileBeating(machineClock);
    const onClock = (aheadMs: number, roundTripMs: number) => {
      beaten();
      clock.set(aheadMs, roundTripMs);
    };
    const peer = { address: await peers.listen(), protocol: PROTOCOL, listingHash: listingHash(config) };
    right = await takeServing(db, { clock: machineClock, log, peer, onClock });
    const joined = right.place;
    assert(joined, 'several gateways serve no SQLite');
    steady = await steadied(db, clock, options);
    const { dataFolder: folder, dataBucket } = config;
    if (!dataBucket) await checkSharedFolder(db, { folder, alone: joined.alone, random });
    const calls = new Calls({ clock: steady, log, isOutage: (error) => db.dialect.isOutage(error) });
    return { right, clock: steady, cluster: { joined, peers, calls, mayStore } };
  } catch (error) {
    await right?.release();
    await peers.close();
    throw error;
  }
}

/** A clock that is never earlier than times already written: the books must not run backwards. */
async function steadied(db: Database, clock: Clock, { log }: Pick<Options, 'log'>): Promise<SteadyClock> {
  const writtenMs = await lastWrittenMs(db);
  const aheadMs = writtenMs - clock.nowMs();
  if (aheadMs > 0)
    log.warn({ aheadMs }, 'The clock of this machine is behind what was written; time goes on from there.');
  return steadyClock(clock, writtenMs);
}
