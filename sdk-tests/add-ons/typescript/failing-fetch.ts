/** A `fetch` that loses answers on purpose, after the gateway has seen the request. */

/** Loses the first so many answers of POST requests, each `after` it was answered or, with `cutMs`, that long after it was sent. */
export function losing(count: number, { cutMs }: { cutMs?: number } = {}) {
  const sent: string[] = [];
  const keys = new Set<string | null>();
  let left = count;
  const lossy: typeof fetch = async (input, init) => {
    if (init?.method !== 'POST') return fetch(input, init);
    sent.push(String(input));
    keys.add(new Headers(init.headers).get('idempotency-key'));
    if (left-- <= 0) return fetch(input, init);
    const signal = cutMs === undefined ? init.signal : AbortSignal.timeout(cutMs);
    const answer = await fetch(input, { ...init, signal: signal ?? null }).catch(() => null);
    await answer?.arrayBuffer();
    throw new TypeError('fetch failed');
  };
  return { fetch: lossy, sent, keys };
}
