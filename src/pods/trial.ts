/**
 * A request of the gateway itself, for one token. It shows whether a pod whose attempts fail is broken, or was only
 * sent orders that would fail on any pod. Orders cannot show that, because a failed order costs its sender nothing.
 */
import type { Random } from '#base/random.ts';
import type { AttemptOutcome, AttemptRequest } from '#orders/ports.ts';
import type { Ping, Pod } from './pod.ts';

/**
 * Runs a trial. Any answer counts as alive, including a refusal or a lack of room. Never rejects. `random` names it: the
 * trials of several gateways may meet on one backend.
 */
export function runTrial(pod: Pod, random: Random): Promise<Ping> {
  const { id, model } = pod.config;
  const body = { messages: [{ role: 'user', content: 'Hi' }] };
  const generation = { body, promptBound: 0, promptEstimate: 0, images: 0 };
  const orderId = `trial-${Math.floor(random.next() * 2 ** 48).toString(16)}`;
  const request: AttemptRequest = { orderId, attempt: 1, model, pod: id, generation, outputCap: 1, trace: null };
  return new Promise((resolve) => {
    const ended = ({ kind }: AttemptOutcome) => resolve(kind === 'failed' ? 'failing' : 'alive');
    pod.execute(request, { events: () => {}, ended });
  });
}
