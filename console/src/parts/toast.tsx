/**
 * Short messages at the foot of the page: what a change did, or why it was refused. They take no room from the page, are
 * read out by screen readers, and outlive a change of page, also to another document of this site.
 */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { after, nowMs } from '../clock.ts';

/** `wrong` stays until the reader dismisses it. */
type Tone = 'well' | 'wrong';

interface Message {
  readonly text: string;
  readonly tone: Tone;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

const NAME = 'sluice-messages';
const SHOWN_MS = 10_000;
/** The oldest leave first. */
const MESSAGES_MAX = 3;

const messages = signal<readonly Message[]>(kept());

/** Shows a message to the reader. A good one leaves after ten seconds. */
export function say(text: string, tone: Tone = 'well'): void {
  keep([...messages.value.filter((message) => message.text !== text), { text, tone, atMs: nowMs() }]);
}

/** Where messages appear: once on each page, because what announces them must be there before they are. */
export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {messages.value.map((message) => (
        <Toast key={message.atMs} of={message} />
      ))}
    </div>
  );
}

function Toast({ of }: { readonly of: Message }) {
  const place = useRef<HTMLParagraphElement>(null);
  const dismiss = () => keep(messages.value.filter((message) => message !== of));
  useEffect(() => {
    if (of.tone === 'wrong') return undefined;
    let stop = () => {};
    const leave = () => {
      // Somebody is reading it, or about to press its button.
      if (place.current?.matches(':hover, :focus-within')) wait(SHOWN_MS / 2);
      else dismiss();
    };
    const wait = (ms: number) => {
      stop = after(ms, leave);
    };
    wait(Math.max(0, of.atMs + SHOWN_MS - nowMs()));
    return () => stop();
  }, [of]);
  return (
    <p ref={place} class={`toast toast-${of.tone}`}>
      <span>{of.text}</span>
      <button
        type="button"
        class="plain"
        onClick={() => {
          dismiss();
          document.getElementById('main')?.focus({ preventScroll: true });
        }}
      >
        Dismiss
      </button>
    </p>
  );
}

function keep(all: readonly Message[]): void {
  messages.value = all.slice(-MESSAGES_MAX);
  sessionStorage.setItem(NAME, JSON.stringify(messages.value));
}

/** Those of the page before this one that are still due. */
function kept(): readonly Message[] {
  try {
    const all = JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as Message[];
    return all.filter(({ tone, atMs }) => tone === 'wrong' || nowMs() - atMs < SHOWN_MS);
  } catch {
    return [];
  }
}
