/** What cannot be undone: a button that asks before it does it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from './session.ts';

interface ConfirmedProps {
  /** On the button, and for readers of the screen what it is about. */
  readonly text: string;
  readonly label?: string;
  /** What will happen. */
  readonly warning: string;
  readonly yes: string;
  readonly no: string;
  /** Does it. What it rejects with is shown. */
  readonly act: () => Promise<void>;
  /** As a button, not as a link. */
  readonly heavy?: boolean;
}

/** The button; once pressed the question, where the safe answer has the focus. */
export function Confirmed({ text, label, warning, yes, no, act, heavy }: ConfirmedProps) {
  const [asking, ask] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const keep = useRef<HTMLButtonElement>(null);
  // At once: a key pressed right after the click must meet the safe answer.
  useLayoutEffect(() => keep.current?.focus(), [asking]);
  const run = async () => {
    setBusy(true);
    setFailure('');
    try {
      await act();
      ask(false);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
    setBusy(false);
  };
  if (!asking)
    return (
      <button
        type="button"
        class={heavy ? 'button danger' : 'plain'}
        {...(label === undefined ? {} : { 'aria-label': label })}
        onClick={() => ask(true)}
      >
        {text}
      </button>
    );
  return (
    <span class="confirm">
      {failure === '' ? `${warning} ` : <span role="alert">{failure} </span>}
      <button type="button" class="button danger" disabled={busy} onClick={() => void run()}>
        {yes}
      </button>{' '}
      <button type="button" class="button" ref={keep} onClick={() => ask(false)}>
        {no}
      </button>
    </span>
  );
}
