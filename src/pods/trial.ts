/**
 * A request of the gateway's own, for one token: it tells whether a pod whose attempts fail has broken, or was sent what
 * breaks any pod. Orders cannot tell that, because an order that failed costs its sender nothing.
 */
import type { AttemptOutcome, AttemptRequest } from '#orders/ports.ts';
import type { Ping, Pod } from './pod.ts';

/** How the pod answers. Any answer will do, a refusal and a lack of room too. Never rejects. */
export function tryOut(pod: Pod): Promise<Ping> {
  const { id, model } = pod.config;
  const body = { messages: [{ role: 'user', content: 'Hi' }] };
  const generation = { body, promptBound: 0, promptEstimate: 0, images: 0 };
  const request: AttemptRequest = { orderId: 'trial', attempt: 1, model, pod: id, generation, outputCap: 1 };
  return new Promise((resolve) => {
    const ended = ({ kind }: AttemptOutcome) => resolve(kind === 'failed' ? 'failing' : 'alive');
    pod.execute(request, { events: () => {}, ended });
  });
}
