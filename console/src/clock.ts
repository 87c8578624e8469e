/** The time and timers of the browser, in one place. Everything else in console/ gets both from here. */

/** Epoch milliseconds. */
export function nowMs(): number {
  return Date.now();
}

/** Runs `run` once after `ms`, unless the returned function is called before. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Runs `run` every `ms` until the returned function is called. A hidden page runs it less often. */
export function repeatedly(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}
