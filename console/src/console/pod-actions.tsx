/** What an operator does with a pod while the gateway runs: drain it, resume it, set its slots. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, type Schemas, sentenceOf, settings } from '../settings/session.ts';

interface PodActionsProps {
  readonly pod: Schemas['Pod'];
  /** Called after each change. */
  readonly changed: () => Promise<void>;
}

/** The buttons of one pod. */
export function PodActions({ pod: { pod, draining, slots }, changed }: PodActionsProps) {
  const params = { path: { id: pod } };
  const drain = () => granted(settings.POST('/console/api/pods/{id}/drain', { params })).then(changed);
  const resume = () => granted(settings.POST('/console/api/pods/{id}/resume', { params })).then(changed);
  const running = slots.busy === 1 ? 'The order that runs' : `The ${slots.busy} orders that run`;
  return (
    <span class="actions">
      {draining ? (
        <Confirmed
          text="Resume"
          label={`Resume ${pod}`}
          warning="It gets orders again."
          yes="Resume it"
          no="Leave it drained"
          act={resume}
        />
      ) : (
        <Confirmed
          text="Drain"
          label={`Drain ${pod}`}
          warning={`It gets no new orders.${slots.busy > 0 ? ` ${running} there now will finish.` : ''}`}
          yes="Drain it"
          no="Keep it"
          act={drain}
        />
      )}
      <Slots pod={pod} configured={slots.configured} changed={changed} />
    </span>
  );
}

interface SlotsProps {
  readonly pod: string;
  readonly configured: number;
  readonly changed: () => Promise<void>;
}

/** A button that becomes a form. */
function Slots({ pod, configured, changed }: SlotsProps) {
  const [wanted, want] = useState<string | null>(null);
  const [failure, setFailure] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isOpen = wanted !== null;
  useLayoutEffect(() => field.current?.select(), [isOpen]);
  const set = async (slots: number | null) => {
    setFailure('');
    try {
      const params = { path: { id: pod } };
      await granted(settings.POST('/console/api/pods/{id}/slots', { params, body: { slots } }));
      await changed();
      want(null);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  if (!isOpen)
    return (
      <button type="button" class="plain" aria-label={`Set slots of ${pod}`} onClick={() => want(String(configured))}>
        Set slots
      </button>
    );
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault();
        void set(Number(wanted));
      }}
    >
      <input
        ref={field}
        aria-label={`New slots of ${pod}`}
        type="number"
        min={1}
        max={100_000}
        required
        value={wanted}
        onInput={({ currentTarget }) => want(currentTarget.value)}
      />{' '}
      <button type="submit" class="button">
        Set
      </button>{' '}
      <button type="button" class="button" onClick={() => void set(null)}>
        As in the file
      </button>{' '}
      <button type="button" class="button" onClick={() => want(null)}>
        Cancel
      </button>
      {failure && (
        <span class="fall" role="alert">
          {' '}
          {failure}
        </span>
      )}
    </form>
  );
}
