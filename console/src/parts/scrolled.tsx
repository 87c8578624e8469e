/** What may be wider than a phone: it scrolls by itself, and is reached with the keyboard, as whatever scrolls must be. */
import type { ComponentChildren } from 'preact';

/** A table that scrolls; `label` names it for readers of the screen. */
export function ScrolledTable({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard.
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table>{children}</table>
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
