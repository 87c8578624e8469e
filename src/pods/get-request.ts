/** Reads something small from a backend, as far as it may be read: an answer can be slow, endless or none. */
import type { Dispatcher } from 'undici';
import type { Clock } from '#base/clock.ts';

/** What is read, and how much of it. */
interface GetRequest {
  readonly path: string;
  readonly headers: readonly string[];
  readonly limitMs: number;
  /** Of the body of a 200; with 0 no body is read. */
  readonly bytesMax: number;
}

/** The answer, without a text unless the body of a 200 was read; or the code of the error, LATE or LONG. */
type GetAnswer = { readonly status: number; readonly text: string } | { readonly fault: string };

/** Sends one GET. Never rejects. */
export function getOver(connections: Dispatcher, request: GetRequest, clock: Clock): Promise<GetAnswer> {
  const { path, headers, limitMs, bytesMax } = request;
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let over = false;
    let bytes = 0;
    const parts: Buffer[] = [];
    const done = (answer: GetAnswer) => {
      over = true;
      timer.cancel();
      parts.length = 0;
      resolve(answer);
      // An endless body would hold the connection.
      controller?.abort(new Error('nothing more is needed'));
    };
    const timer = clock.after(limitMs, () => done({ fault: 'LATE' }));
    connections.dispatch(
      { method: 'GET', path, headers: [...headers] },
      {
        onRequestStart(started) {
          controller = started;
          if (over) started.abort(new Error('nothing more is needed'));
        },
        onResponseStart(_controller, status) {
          if (status >= 200 && (status !== 200 || bytesMax === 0)) done({ status, text: '' });
        },
        onResponseData(_controller, part) {
          if (over) return;
          bytes += part.length;
          if (bytes > bytesMax) done({ fault: 'LONG' });
          else parts.push(part);
        },
        onResponseEnd() {
          if (over) return;
          const text = Buffer.concat(parts).toString('latin1');
          controller = null;
          done({ status: 200, text });
        },
        onResponseError(_controller, error) {
          if (!over) done({ fault: codeOf(error) });
        },
      },
    );
  });
}

/** Connection errors are reported by code, because their messages contain addresses. */
export function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.name;
}
