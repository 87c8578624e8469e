/** Both transports between gateways do what the suite asks of every transport. */

import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { SimulatedNetwork } from '#simulations/cluster/simulated-network.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { faster, type PeersWorld, peersSuite } from '#testing/peers-suite.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import { WebSocketPeers } from './web-socket-peers.ts';

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
      const peers = new WebSocketPeers({ settings, protocol: 1, listingHash: 'h', clock, random, log: silentLog });
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
