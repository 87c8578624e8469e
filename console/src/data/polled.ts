/**
 * What is asked for again and again: the last answer stays while a newer one is on its way or fails, so that nothing
 * blinks. A hidden page asks for nothing, and asks at once when it is looked at again or the network is back. What is not
 * in view is asked for once, and again when it comes into view after its time.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { nowMs, repeatedly } from '../clock.ts';

/** The state of what is asked for. */
export interface Asked<T> {
  /** The last answer; null before the first. */
  readonly value: T | null;
  /** Why the last attempt failed; null when it did not. */
  readonly failure: string | null;
  /** When the last answer came, in epoch milliseconds; null before the first. */
  readonly atMs: number | null;
}

/** Something that is asked for while anybody looks at it. */
export interface Polled<T> {
  readonly asked: ReadonlySignal<Asked<T>>;
  /** Asks now; resolves when it is answered or has failed. One call at a time. */
  refresh(): Promise<void>;
  /** The same after a change: a call that began before it may not know of it. */
  again(): Promise<void>;
  /** Asks now and every so often, until the returned function is called; after the first time only while `shownIn` is in view. */
  start(shownIn?: Element | null): () => void;
}

/** Asks with `load` every `everyMs`. */
export function polled<T>(load: () => Promise<T>, everyMs: number): Polled<T> {
  const asked = signal<Asked<T>>({ value: null, failure: null, atMs: null });
  let running: Promise<void> | null = null;
  const ask = async () => {
    try {
      asked.value = { value: await load(), failure: null, atMs: nowMs() };
    } catch (error) {
      asked.value = { ...asked.value, failure: sentenceOf(error) };
    } finally {
      running = null;
    }
  };
  const refresh = () => (running ??= ask());
  return {
    asked,
    refresh,
    again: () => refresh().then(refresh),
    start(shownIn) {
      let isInView = true;
      let isLate = false;
      const look = () => {
        isLate = document.hidden || !isInView;
        if (!isLate) void refresh();
      };
      look();
      const stop = repeatedly(everyMs, look);
      const watch = new IntersectionObserver((entries) => {
        isInView = entries.at(-1)?.isIntersecting ?? isInView;
        if (isInView && isLate) look();
      });
      if (shownIn) watch.observe(shownIn);
      addEventListener('online', look);
      document.addEventListener('visibilitychange', look);
      return () => {
        stop();
        watch.disconnect();
        removeEventListener('online', look);
        document.removeEventListener('visibilitychange', look);
      };
    },
  };
}

/**
 * Asks while the component is shown, and where `shownIn` is given while that is in view; starts again, without an answer,
 * when `key` or `everyMs` changes.
 */
export function useSource<T>(
  key: string,
  load: () => Promise<T>,
  everyMs: number,
  shownIn?: RefObject<Element | null>,
): Polled<T> {
  const source = useMemo(() => polled(load, everyMs), [key, everyMs]);
  useEffect(() => source.start(shownIn?.current), [source]);
  return source;
}

/** What to tell people of an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof TypeError) return 'The gateway cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}
