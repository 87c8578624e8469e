/** Gateways on a simulated network that can call each other. */

import { type Log, silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { Calls } from '#cluster/peers/calls.ts';
import { SimulatedNetwork } from '#simulations/cluster/simulated-network.ts';
import { ManualClock } from './manual-clock.ts';

/** What a test throws in place of a database that does not answer. */
export class Outage extends Error {}

/** The gateways 1 to `count`, connected. */
export async function joinedCalls(count: number, { clock = new ManualClock(), log = silentLog as Log } = {}) {
  const network = new SimulatedNetwork({ clock, random: seededRandom(3), delayMs: { min: 1, max: 5 } });
  const gateways = Array.from({ length: count }, (_, index) => ({ id: index + 1, address: `10.0.0.${index + 1}:1` }));
  const all = new Map<number, Calls>();
  for (const gateway of gateways) {
    const calls = new Calls({ clock: network.clockOf(gateway.id), log, isOutage: (error) => error instanceof Outage });
    all.set(gateway.id, calls);
    const peers = network.join(gateway, {
      opened: (session) => calls.opened(session),
      closed: (session) => calls.closed(session),
      message(session, message) {
        if (message.type === 'call' || message.type === 'answer' || message.type === 'refusal')
          calls.message(session, message);
      },
    });
    peers.follow(gateways);
  }
  await clock.advance(1_000);
  return {
    clock,
    network,
    /** The calls of a gateway. */
    calls(id: number): Calls {
      const calls = all.get(id);
      if (!calls) throw new Error(`there is no gateway ${id}`);
      return calls;
    },
  };
}
