/** A form in one row: fields, a button, and why it failed. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { sentenceOf } from './session.ts';

interface RowFormProps {
  /** Of the button. */
  readonly label: string;
  /** What the button does. While it runs, the button rests; what it throws is shown. */
  readonly act: () => Promise<unknown>;
  /** Whether it cannot be taken back. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** A sentence behind the button. */
  readonly hint?: string;
  /** The fields. */
  readonly children: ComponentChildren;
}

/** Sends what it has when the button is pressed or Enter typed. */
export function RowForm({ label, act, danger = false, disabled = false, hint, children }: RowFormProps) {
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setFailure('');
    try {
      await act();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
    setBusy(false);
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {children}
      <button type="submit" class={danger ? 'button danger' : 'button'} disabled={busy || disabled}>
        {label}
      </button>
      {hint && <span class="faint small">{hint}</span>}
      {failure && (
        <span class="fall" role="alert">
          {failure}
        </span>
      )}
    </form>
  );
}
