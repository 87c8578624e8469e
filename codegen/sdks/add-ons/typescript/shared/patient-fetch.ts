/** Waiting for orders: a market may take longer than the timeouts of `fetch` and of official clients. Copied into each package. */

/** The longest time of a timer, 24 days: for clients that cannot be without a timeout. */
export const LONGEST_MS = 2 ** 31 - 1;

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

const patientOnes = new WeakSet<Fetch>();

/**
 * A `fetch` that waits for as long as an order lives. The gateway answers 429 `result_pending` to a repeated request while
 * the order of the first one waits; that is no failure, so it is asked again. A given `fetch` keeps its own timeouts.
 */
export function patient(given?: Fetch): Fetch {
  if (given && patientOnes.has(given)) return given;
  const send: Fetch = async (input, init) => {
    const options = given ? init : { ...withoutHeadersTimeout(), ...init };
    for (;;) {
      const response = await (given ?? fetch)(input, options);
      if (response.status !== 429) return response;
      const text = await response.text();
      const { status, statusText, headers } = response;
      if (!isPending(text)) return new Response(text, { status, statusText, headers });
      await pause(Number(headers.get('retry-after') ?? 1) * 1000, init?.signal);
    }
  };
  patientOnes.add(send);
  return send;
}

function isPending(text: string): boolean {
  try {
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code === 'result_pending';
  } catch {
    return false;
  }
}

/** Throws the reason of the signal when it ends the wait. */
async function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}

type Dispatch = (options: object, handler: unknown) => boolean;

/**
 * Node's own `fetch` gives up after five minutes without headers, and its `undici` cannot be imported. Its dispatcher, which
 * may be that of a proxy, is a global. Elsewhere there is none, and a request that is cut is repeated with its key.
 */
function withoutHeadersTimeout(): object {
  // Node makes the dispatcher when something of `fetch` is used first.
  void globalThis.Response;
  const globals = globalThis as { [name: symbol]: unknown };
  const dispatcher = globals[Symbol.for('undici.globalDispatcher.1')] as
    | { compose?(interceptor: (dispatch: Dispatch) => Dispatch): unknown }
    | undefined;
  if (!dispatcher?.compose) return {};
  const unhurried = (dispatch: Dispatch) => (options: object, handler: unknown) =>
    dispatch({ ...options, headersTimeout: 0 }, handler);
  return { dispatcher: dispatcher.compose(unhurried) };
}
