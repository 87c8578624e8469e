/** What may be wider than a phone: it scrolls by itself, shows that it does, and is reached with the keyboard. */
import type { ComponentChildren } from 'preact';

interface ScrolledProps {
  /** Names it for readers of the screen. */
  readonly label: string;
  /** Whether it is no higher than the page, and scrolls downwards, too. */
  readonly isLong?: boolean;
  readonly children: ComponentChildren;
}

/** A region that scrolls sideways. */
export function Scrolled({ label, isLong = false, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard.
    <section class={isLong ? 'scroll long' : 'scroll'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Code as it is to be copied. */
export function ScrolledCode({ text, kind }: { readonly text: string; readonly kind?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard.
    <pre class={kind} tabIndex={0}>
      {text}
    </pre>
  );
}
