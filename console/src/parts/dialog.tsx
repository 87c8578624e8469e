/** What opens above the page: the browser keeps the focus inside, closes it on Escape, and gives the focus back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  /** Names it for readers of the screen. */
  readonly label: string;
  /** `sheet` is at the right edge, as high as the page; `palette` is a field with a list. */
  readonly look?: 'sheet' | 'palette';
  /** Called when the reader has closed it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Is open while it is shown. */
export function Dialog({ label, look, onClose, children }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => place.current?.showModal(), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it.
    <dialog
      ref={place}
      class={`dialog ${look ?? ''}`}
      aria-label={label}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // A click beside it is on the dialog itself.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      {children}
    </dialog>
  );
}
