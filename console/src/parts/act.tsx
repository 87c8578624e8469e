/** What buttons and forms do: it runs once at a time, and says why it failed. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../data/polled.ts';

/** Something that is done when the reader asks for it. */
export interface Act {
  readonly isBusy: boolean;
  /** Why it failed the last time; empty when it did not. */
  readonly failure: string;
  /** Does it, unless it is being done. Never rejects; resolves with whether it was done. */
  readonly run: () => Promise<boolean>;
}

/** `work` as something that is done when the reader asks for it. */
export function useAct(work: () => Promise<unknown>): Act {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const run = async () => {
    if (isBusy) return false;
    setBusy(true);
    setFailure('');
    try {
      await work();
      return true;
    } catch (error) {
      setFailure(sentenceOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, run };
}

interface FormProps {
  /** What it sends. It never fails: `useAct` makes it. */
  readonly act: Act;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A form that is sent by its button or Enter, and says why it failed. */
export function Form({ act, class: name = 'row', children }: FormProps) {
  return (
    <form
      class={name}
      aria-busy={act.isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        void act.run();
      }}
    >
      {children}
      {act.failure !== '' && (
        <>
          {' '}
          <span class="fall" role="alert">
            {act.failure}
          </span>
        </>
      )}
    </form>
  );
}

interface UnfoldProps {
  /** On the button, and for readers of the screen what it is about. */
  readonly text: string;
  readonly label?: string;
  /** The classes of the button. */
  readonly look?: string;
  /** What takes the place of the button until it calls `close`. */
  readonly children: (close: () => void) => ComponentChildren;
}

/**
 * A button that unfolds into something. The first field or the last button of that gets the focus; Escape folds it, and
 * the button has the focus again.
 */
export function Unfold({ text, label, look = 'plain', children }: UnfoldProps) {
  const [isOpen, open] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const wasOpen = useRef(false);
  // At once: a key pressed right after the click must meet what is shown.
  useLayoutEffect(() => {
    const inside = place.current;
    if (isOpen) {
      const field = inside?.querySelector<HTMLInputElement>('input, select');
      (field ?? [...(inside?.querySelectorAll('button') ?? [])].at(-1))?.focus();
      field?.select?.();
    } else if (wasOpen.current) inside?.querySelector('button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const close = () => open(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the fields and buttons inside.
    <span
      class={isOpen ? 'unfolded' : ''}
      ref={place}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      {isOpen ? (
        children(close)
      ) : (
        <button type="button" class={look} aria-label={label} onClick={() => open(true)}>
          {text}
        </button>
      )}
    </span>
  );
}
