/**
 * What is asked for again and again: the last answer stays while a newer one is on its way or fails, so that nothing
 * blinks. A hidden page asks for nothing, and asks at once when it is looked at again or the network is back. Nor does an
 * element that is far from view, after its first answer: it asks when the reader comes near.
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
  /** Whether its time is over, and it was not asked again because it was far from the view. */
  readonly isOld: boolean;
}

/** Something that is asked for while anybody looks at it. */
export interface Polled<T> {
  readonly asked: ReadonlySignal<Asked<T>>;
  /** Asks now; resolves when it is answered or has failed. One call at a time. */
  refresh(): Promise<void>;
  /** The same after a change: a call that began before it may not know of it. */
  again(): Promise<void>;
  /**
   * Asks now and every so often, until the returned function is called. While `shownIn` is far from the view, what is asked for
   * only becomes old.
   */
  start(shownIn?: Element | null): () => void;
}

/** So near to the view an element is asked for: the answer comes before the reader does. */
const NEAR = '300px';

/** Asks with `load` every `everyMs`. */
export function polled<T>(load: () => Promise<T>, everyMs: number): Polled<T> {
  const asked = signal<Asked<T>>({ value: null, failure: null, atMs: null, isOld: false });
  let running: Promise<void> | null = null;
  const ask = async () => {
    try {
      asked.value = { value: await load(), failure: null, atMs: nowMs(), isOld: false };
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
      let isNear = true;
      const look = () => {
        if (document.hidden) return;
        if (isNear) void refresh();
        else asked.value = { ...asked.value, isOld: true };
      };
      look();
      const stop = repeatedly(everyMs, look);
      const moved = (entries: readonly IntersectionObserverEntry[]) => {
        isNear = entries.at(-1)?.isIntersecting ?? isNear;
        if (isNear && asked.value.isOld) look();
      };
      const watch = new IntersectionObserver(moved, { rootMargin: NEAR });
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
 * Asks while the component is shown, and where `shownIn` is given while that is near the view; starts again, without an answer,
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
