/**
 * Asks a backend whether it can serve. Any answer except a server error or a refused key counts as alive. Some servers
 * have no list of models (404), which is fine.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '#base/clock.ts';
import type { Ping } from './pod.ts';

/** A backend that takes longer to answer a GET is unhealthy. */
const PING_TIMEOUT_MS = 5_000;

/** Sends one GET. Never rejects. */
export function pingOver(
  connections: Dispatcher,
  path: string,
  headers: readonly string[],
  clock: Clock,
): Promise<Ping> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    const timer = clock.after(PING_TIMEOUT_MS, () => answer('failing'));
    let over = false;
    const answer = (ping: Ping) => {
      over = true;
      timer.cancel();
      resolve(ping);
      // The body is not needed, and an endless one would hold the connection.
      controller?.abort(new Error('the ping is answered'));
    };
    connections.dispatch(
      { method: 'GET', path, headers: [...headers] },
      {
        onRequestStart(started) {
          controller = started;
          if (over) started.abort(new Error('the ping is answered'));
        },
        onResponseStart(_controller, status) {
          if (status >= 200) answer(pingOf(status));
        },
        onResponseData() {},
        onResponseEnd() {},
        onResponseError(_controller, error) {
          answer((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'failing');
        },
      },
    );
  });
}

function pingOf(status: number): Ping {
  if (status === 401 || status === 403) return 'denied';
  return status < 500 ? 'alive' : 'failing';
}
