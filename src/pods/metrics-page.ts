/** Reads a backend's page of metrics, as far as it may be read: a page can be slow, endless or none. */
import type { Dispatcher } from 'undici';
import type { Clock } from '#base/clock.ts';

/** A page that takes longer is of no use: the next is asked for by then. */
const PAGE_MS = 2_000;
/** vLLM's has about 100 kB; its histograms grow with the models that it serves. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** The text of a page, or why there is none, to follow "its metrics". */
export type MetricsPage = { readonly text: string } | { readonly fault: string };

/** Sends one GET to `path`. Never rejects; reads at most 4 MiB for at most two seconds. */
export function metricsPageOver(
  connections: Dispatcher,
  path: string,
  headers: readonly string[],
  clock: Clock,
): Promise<MetricsPage> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let over = false;
    let bytes = 0;
    const parts: Buffer[] = [];
    const done = (page: MetricsPage) => {
      over = true;
      timer.cancel();
      parts.length = 0;
      resolve(page);
      controller?.abort(new Error('the page is not needed any more'));
    };
    const timer = clock.after(PAGE_MS, () => done({ fault: `take longer than ${PAGE_MS / 1000} s` }));
    connections.dispatch(
      { method: 'GET', path, headers: ['accept', 'text/plain', ...headers] },
      {
        onRequestStart(started) {
          controller = started;
          if (over) started.abort(new Error('the page is not needed any more'));
        },
        onResponseStart(_controller, status) {
          if (status >= 200 && status !== 200) done({ fault: `are not there: it answers ${status}` });
        },
        onResponseData(_controller, part) {
          if (over) return;
          bytes += part.length;
          if (bytes > PAGE_BYTES_MAX) done({ fault: `are longer than ${PAGE_BYTES_MAX / 1024 / 1024} MiB` });
          else parts.push(part);
        },
        onResponseEnd() {
          if (over) return;
          const text = Buffer.concat(parts).toString('latin1');
          controller = null;
          done({ text });
        },
        onResponseError() {
          if (!over) done({ fault: 'cannot be read: the connection failed' });
        },
      },
    );
  });
}
