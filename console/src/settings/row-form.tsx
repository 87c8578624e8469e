/** A form in one row: fields, a button, and why it failed. */
import type { ComponentChildren } from 'preact';
import { Form, useAct } from '../parts/act.tsx';

interface RowFormProps {
  /** Of the button. */
  readonly label: string;
  /** What the button does. What it throws is shown. */
  readonly act: () => Promise<unknown>;
  /** How the button looks; an ordinary one when absent. */
  readonly look?: 'primary' | 'danger';
  readonly disabled?: boolean;
  /** A sentence behind the button. */
  readonly hint?: ComponentChildren;
  /** The fields. */
  readonly children: ComponentChildren;
}

/** Sends what it has when the button is pressed or Enter typed. */
export function RowForm({ label, act, look, disabled = false, hint, children }: RowFormProps) {
  return (
    <Form act={useAct(act)}>
      {children}
      <button type="submit" class={`button ${look ?? ''}`} disabled={disabled}>
        {label}
      </button>
      {hint && <span class="faint small">{hint}</span>}
    </Form>
  );
}
