/** What a word of the market means, in one line behind a "?". */
import { useId } from 'preact/hooks';

const WORDS = {
  level: 'The price of a market now, in USD per 1M input tokens at the reference mix. It moves with demand.',
  quote: 'What a request with a price lock bids now: it starts within seconds or not at all.',
  'price limit':
    'The most that you pay, in USD per 1M input tokens at the reference mix. You are charged the level at which your request starts, never more than this.',
  'reference mix': 'For 1M input tokens: 90% of them from the cache, 10% not, and 20,000 tokens of output.',
} as const;

const GAP_PX = 4;
const EDGE_PX = 16;

/** A button that shows the meaning of `word`. */
export function Hint({ word }: { readonly word: keyof typeof WORDS }) {
  const id = useId();
  return (
    <>
      <button type="button" class="hint" popovertarget={id} aria-label={`What is the ${word}?`}>
        <span aria-hidden="true">?</span>
      </button>
      <span id={id} popover="auto" class="bubble" onBeforeToggle={({ currentTarget }) => putBelow(currentTarget, id)}>
        {WORDS[word]}
      </span>
    </>
  );
}

/** Puts what opens beside its button: it is above everything, so that no table cuts it off. */
export function putBelow(bubble: HTMLElement, id: string): void {
  const box = document.querySelector(`[popovertarget="${id}"]`)?.getBoundingClientRect();
  if (!box) return;
  const leftMax = Math.max(EDGE_PX, innerWidth - 320 - EDGE_PX);
  bubble.style.left = `${Math.min(box.left, leftMax)}px`;
  bubble.style.top = `${box.bottom + GAP_PX}px`;
}
