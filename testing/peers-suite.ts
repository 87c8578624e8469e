/**
 * What every transport between gateways must do. `PeersWorld` is a network of a few gateways on one manual clock; the
 * suite moves time until what it waits for has happened, so that it runs on real sockets and on simulated ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerMessage } from '#cluster/messages.ts';
import type { PeerListener, PeerSession, Peers } from '#cluster/ports.ts';
import type { ManualClock } from './manual-clock.ts';

/** Two gateways, 1 and 2, and what can happen between them. */
export interface PeersWorld {
  readonly clock: ManualClock;
  /** Moves the clock a little. */
  step(): Promise<void>;
  join(id: number, listener: PeerListener): Promise<{ readonly peers: Peers; readonly address: string }>;
  /** Breaks the connections. */
  reset(): void;
  /** Nothing that 1 sends gets to 2, and, with `both`, the other way round. */
  cut(both: boolean): void;
  heal(): void;
  /** The process of 2 ends. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

/** A listener that writes down what happens, and the sessions that are open. */
class Notes implements PeerListener {
  readonly all: string[] = [];
  session: PeerSession | null = null;
  closings = 0;

  opened(session: PeerSession): void {
    assert.equal(this.session, null, 'one session at a time');
    this.session = session;
    this.all.push(`opened ${session.gateway}`);
  }

  message(session: PeerSession, message: PeerMessage): void {
    assert.equal(session, this.session, 'a message of the open session');
    this.all.push(message.type === 'adopted' ? `adopted ${message.gateway}` : message.type);
  }

  closed(session: PeerSession, refused: boolean): void {
    assert.equal(session, this.session, 'the open session is closed');
    this.session = null;
    this.closings++;
    this.all.push(`closed ${session.gateway}${refused ? ', refused' : ''}`);
  }
}

/** Far below every timeout between gateways: what has arrived is read before one can run out. */
const STEP_MS_MAX = 20;

/**
 * Steps for real sockets, which need real time: the clock runs five times as fast as the machine's. It stands still while
 * this process does, as on a busy machine: a silence that nobody could have broken must not end a session.
 */
export function faster(clock: ManualClock): () => Promise<void> {
  let lastMs = performance.now();
  return async () => {
    const passedMs = Math.floor((performance.now() - lastMs) * 5);
    lastMs += passedMs / 5;
    await clock.advance(Math.min(passedMs, STEP_MS_MAX));
  };
}

const MINUTE_MS = 60_000;

/** Moves the clock of a world until `holds`; fails after a minute of its time. */
export async function until(world: Pick<PeersWorld, 'clock' | 'step'>, what: string, holds: () => boolean) {
  const sinceMs = world.clock.nowMs();
  while (!holds()) {
    assert.ok(world.clock.nowMs() - sinceMs < MINUTE_MS, `not seen: ${what}`);
    await world.step();
  }
}

/** Moves the clock of a world by `ms`. */
async function pass(world: PeersWorld, ms: number): Promise<void> {
  const untilMs = world.clock.nowMs() + ms;
  await until(world, 'time', () => world.clock.nowMs() >= untilMs);
}

const said = (gateway: number): PeerMessage => ({ type: 'adopted', gateway });

/** Runs the suite on worlds that `build` makes. */
export function peersSuite(name: string, build: () => Promise<PeersWorld>): void {
  const together = (what: string, run: (both: Both) => Promise<void>) =>
    test(`${name}: ${what}`, async () => {
      const world = await build();
      try {
        await run(await Both.join(world));
        await pass(world, 2_000);
      } finally {
        await world.close();
      }
    });

  together('two gateways have one session', async (both) => {
    await both.open();
    await pass(both.world, 10_000);
    assert.deepEqual([both.one.all, both.two.all], [['opened 2'], ['opened 1']]);
  });

  together('messages arrive once and in order, both ways', async (both) => {
    await both.open();
    const sent = Array.from({ length: 500 }, (_, index) => index);
    for (const index of sent) {
      both.one.session?.send(said(index));
      both.two.session?.send(said(-index));
      if (index % 100 === 0) await both.world.step();
    }
    await both.until('all messages', () => both.one.all.length > 500 && both.two.all.length > 500);
    assert.deepEqual(both.two.all, ['opened 1', ...sent.map((index) => `adopted ${index}`)]);
    assert.deepEqual(both.one.all, ['opened 2', ...sent.map((index) => `adopted ${-index}`)]);
  });

  together('messages sent while the session is being opened arrive after it', async (both) => {
    const open = both.one.opened.bind(both.one);
    both.one.opened = (session) => {
      open(session);
      session.send(said(1));
    };
    await both.open();
    await both.until('the message', () => both.two.all.length === 2);
    assert.deepEqual(both.two.all, ['opened 1', 'adopted 1']);
  });

  together('a large message is one message', async (both) => {
    await both.open();
    const orders = Array.from({ length: 100_000 }, (_, index) => `order-${index}`);
    both.one.session?.send({ type: 'positions?', id: 1, model: 'tide', orders });
    both.one.session?.send(said(1));
    await both.until('both', () => both.two.all.length === 3);
    assert.deepEqual(both.two.all, ['opened 1', 'positions?', 'adopted 1']);
  });

  together('after a reset both hear of it and have a new session', async (both) => {
    await both.open();
    const [old] = [both.one.session];
    both.world.reset();
    await both.until('the end', () => both.one.closings === 1 && both.two.closings === 1);
    await both.open();
    old?.send(said(1));
    both.one.session?.send(said(2));
    await both.until('the message', () => both.two.all.at(-1) === 'adopted 2');
    assert.deepEqual(both.one.all, ['opened 2', 'closed 2', 'opened 2']);
    assert.deepEqual(both.two.all, ['opened 1', 'closed 1', 'opened 1', 'adopted 2']);
  });

  together('a session that one side closes is closed at both, and a new one opened', async (both) => {
    await both.open();
    const session = both.two.session;
    session?.close();
    session?.send(said(1));
    await both.until('the end', () => both.one.closings === 1 && both.two.closings === 1);
    await both.open();
    assert.deepEqual(both.one.all, ['opened 2', 'closed 2', 'opened 2']);
  });

  for (const way of ['one way', 'both ways']) {
    together(`silence ${way} ends a session at both sides within seconds`, async (both) => {
      await both.open();
      both.world.cut(way === 'both ways');
      const since = both.world.clock.nowMs();
      await both.until('the end', () => both.one.closings === 1 && both.two.closings === 1);
      assert.ok(both.world.clock.nowMs() - since < 8_000);
      assert.deepEqual(both.one.all, ['opened 2', 'closed 2']);
      both.world.heal();
      await both.open();
    });
  }

  together('a process that ended is told apart from one that cannot be reached', async (both) => {
    await both.open();
    await both.world.crash();
    await both.until('the end', () => both.one.closings === 1);
    assert.deepEqual(both.one.all, ['opened 2', 'closed 2, refused']);
  });

  together('a gateway that is not listed any more is left, and not let in again', async (both) => {
    await both.open();
    both.peersOfTwo.follow([]);
    await both.until('the end', () => both.one.closings === 1 && both.two.closings === 1);
    await pass(both.world, 10_000);
    assert.deepEqual(
      [both.one.all, both.two.all],
      [
        ['opened 2', 'closed 2'],
        ['opened 1', 'closed 1'],
      ],
    );
  });
}

/** Two gateways that follow each other. */
class Both {
  readonly world: PeersWorld;
  readonly one = new Notes();
  readonly two = new Notes();
  peersOfTwo: Peers = { follow: () => {}, close: async () => {} };

  private constructor(world: PeersWorld) {
    this.world = world;
  }

  static async join(world: PeersWorld): Promise<Both> {
    const both = new Both(world);
    const one = await world.join(1, both.one);
    const two = await world.join(2, both.two);
    both.peersOfTwo = two.peers;
    const named = [
      { id: 1, address: one.address },
      { id: 2, address: two.address },
    ];
    one.peers.follow(named);
    two.peers.follow(named);
    return both;
  }

  async open(): Promise<void> {
    await this.until('a session', () => this.one.session !== null && this.two.session !== null);
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return until(this.world, what, holds);
  }
}
