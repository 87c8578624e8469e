/** A sheet at the side of the page, about one thing of a list. Escape closes it, and the focus goes back to where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface SheetProps {
  /** Names it, and is its heading. */
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Opens at once, and closes when it is no longer drawn. */
export function SideSheet({ title, onClose, children }: SheetProps) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const sheet = place.current;
    const before = document.activeElement;
    sheet?.showModal();
    return () => {
      sheet?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same as a click beside the sheet.
    <dialog
      class="sheet"
      ref={place}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => {
        if (target === place.current) onClose();
      }}
    >
      <div class="inside">
        <div class="head">
          <h2>{title}</h2>
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
