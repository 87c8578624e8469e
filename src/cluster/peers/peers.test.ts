/**
 * What every transport between gateways must do. `PeersWorld` is a network of two gateways on one manual clock; the suite
 * moves time until what it waits for has happened, so that it runs on real sockets and on simulated ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { SimulatedNetwork } from '#simulations/cluster/simulated-network.ts';
import { faster, until } from '#testing/fast-clock.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import type { PeerMessage } from '../messages.ts';
import type { PeerListener, PeerSession, Peers } from '../ports.ts';
import { WebSocketPeers } from './web-socket-peers.ts';

/** Two gateways, 1 and 2, and what can happen between them. */
interface PeersWorld {
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

/** Moves the clock of a world by `ms`. */
async function pass(world: PeersWorld, ms: number): Promise<void> {
  const untilMs = world.clock.nowMs() + ms;
  await until(world, 'time', () => world.clock.nowMs() >= untilMs);
}

const said = (gateway: number): PeerMessage => ({ type: 'adopted', gateway });

/** Runs the suite on worlds that `build` makes. */
function peersSuite(name: string, build: () => Promise<PeersWorld>): void {
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

  together('after a reset both learn of it and have a new session', async (both) => {
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

  together('a gateway that is not listed any more is left, and refused from then on', async (both) => {
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

peersSuite('simulated', async (): Promise<PeersWorld> => {
  const clock = new ManualClock();
  const network = new SimulatedNetwork({ clock, random: seededRandom(7), delayMs: { min: 1, max: 20 } });
  return {
    clock,
    step: () => clock.advance(20),
    join: async (id, listener) => {
      const address = `10.0.0.${id}:9100`;
      return { peers: network.join({ id, address }, listener), address };
    },
    reset: () => network.reset(1, 2),
    cut: (both) => {
      network.cut(1, 2);
      if (both) network.cut(2, 1);
    },
    heal: () => network.heal(),
    crash: async () => network.crash(2),
    close: async () => {},
  };
});

peersSuite('WebSocket', async (): Promise<PeersWorld> => {
  const clock = new ManualClock();
  const proxies = new Map<number, TcpProxy>();
  const joined = new Map<number, WebSocketPeers>();
  return {
    clock,
    step: faster(clock),
    async join(id, listener) {
      const proxy = new TcpProxy();
      const port = await proxy.listen();
      const bind = { host: '127.0.0.1', port: 0 };
      const settings = { host: '127.0.0.1', port, bind, secret: 's'.repeat(32) };
      const random = seededRandom(id);
      const peers = new WebSocketPeers({ settings, protocol: 1, clock, random, log: silentLog });
      const address = await peers.listen();
      proxy.target = { port: peers.boundPort };
      peers.start(id, listener);
      proxies.set(id, proxy);
      joined.set(id, peers);
      return { peers, address };
    },
    // 1 dials 2, so that all goes through the proxy of 2.
    reset: () => proxies.get(2)?.cut(),
    cut: (both) => proxies.get(2)?.delay(Number.POSITIVE_INFINITY, 'toward', ...(both ? (['back'] as const) : [])),
    heal: () => proxies.get(2)?.delay(0, 'toward', 'back'),
    async crash() {
      await Promise.all([proxies.get(2)?.close(), joined.get(2)?.close()]);
    },
    async close() {
      await Promise.all([...joined.values(), ...proxies.values()].map((part) => part.close()));
    },
  };
});
