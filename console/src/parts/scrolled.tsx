/** What may be wider than a phone: it scrolls by itself, shows that it does, and is reached with the keyboard. */
import type { ComponentChildren } from 'preact';

/** A region that scrolls sideways; `label` names it for readers of the screen. */
export function Scrolled({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard.
    <section class="scroll" aria-label={label} tabIndex={0}>
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
