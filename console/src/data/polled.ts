/**
 * What is asked for again and again: the last answer stays while a newer one is on its way or fails, so that nothing
 * blinks. A hidden page asks for nothing, and asks at once when it is looked at again or the network is back.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { repeatedly } from '../clock.ts';

/** The state of what is asked for. */
export interface Asked<T> {
  /** The last answer; null before the first. */
  readonly value: T | null;
  /** Why the last attempt failed; null when it did not. */
  readonly failure: string | null;
}

/** Something that is asked for while anybody looks at it. */
export interface Polled<T> {
  readonly asked: ReadonlySignal<Asked<T>>;
  /** Asks now; resolves when it is answered or has failed. One call at a time. */
  refresh(): Promise<void>;
  /** Asks now and every so often, until the returned function is called. */
  start(): () => void;
}

/** Asks with `load` every `everyMs`. */
export function polled<T>(load: () => Promise<T>, everyMs: number): Polled<T> {
  const asked = signal<Asked<T>>({ value: null, failure: null });
  let running: Promise<void> | null = null;
  const ask = async () => {
    try {
      asked.value = { value: await load(), failure: null };
    } catch (error) {
      asked.value = { value: asked.value.value, failure: sentence(error) };
    } finally {
      running = null;
    }
  };
  const refresh = () => (running ??= ask());
  return {
    asked,
    refresh,
    start() {
      const look = () => {
        if (!document.hidden) void refresh();
      };
      look();
      const stop = repeatedly(everyMs, look);
      addEventListener('online', look);
      document.addEventListener('visibilitychange', look);
      return () => {
        stop();
        removeEventListener('online', look);
        document.removeEventListener('visibilitychange', look);
      };
    },
  };
}

/** Asks while the component is shown; starts again, without an answer, when `key` or `everyMs` changes. */
export function usePolled<T>(key: string, load: () => Promise<T>, everyMs: number): Asked<T> {
  return useSource(key, load, everyMs).asked.value;
}

/** The same for those who also ask at once, after a change. */
export function useSource<T>(key: string, load: () => Promise<T>, everyMs: number): Polled<T> {
  const source = useMemo(() => polled(load, everyMs), [key, everyMs]);
  useEffect(() => source.start(), [source]);
  return source;
}

/** Asks once more when an earlier call is answered, which may not know of the change yet. */
export async function askAgain(source: Pick<Polled<unknown>, 'refresh'>): Promise<void> {
  await source.refresh();
  await source.refresh();
}

function sentence(error: unknown): string {
  if (error instanceof TypeError) return 'The gateway cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}
