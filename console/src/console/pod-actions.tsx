/** What an operator does with a pod while the gateway runs: drain it, resume it, set its slots, remove one that was added. */
import { useState } from 'preact/hooks';
import { Form, Unfold, useAct } from '../parts/act.tsx';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

interface PodActionsProps {
  readonly pod: Schemas['Pod'];
  /** Called after each change. */
  readonly changed: () => Promise<void>;
}

/** The buttons of one pod. */
export function PodActions({ pod: { pod, added, draining, slots }, changed }: PodActionsProps) {
  const params = { path: { id: pod } };
  const drain = () => granted(settings.POST('/console/api/pods/{id}/drain', { params })).then(changed);
  const resume = () => granted(settings.POST('/console/api/pods/{id}/resume', { params })).then(changed);
  const remove = () => granted(settings.DELETE('/console/api/pods/{id}', { params })).then(changed);
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
          harmless
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
      <Unfold text="Set slots" label={`Set slots of ${pod}`}>
        {(close) => <Slots pod={pod} configured={slots.configured} changed={changed} close={close} />}
      </Unfold>
      {added && (
        <Confirmed
          text="Remove"
          label={`Remove ${pod}`}
          warning={`It gets no new orders, and leaves.${slots.busy > 0 ? ` ${running} there now will finish.` : ''}`}
          yes="Remove it"
          no="Keep it"
          act={remove}
        />
      )}
    </span>
  );
}

interface SlotsProps {
  readonly pod: string;
  readonly configured: number;
  readonly changed: () => Promise<void>;
  readonly close: () => void;
}

function Slots({ pod, configured, changed, close }: SlotsProps) {
  const [wanted, want] = useState(String(configured));
  const change = async (slots: number | null) => {
    const params = { path: { id: pod } };
    await granted(settings.POST('/console/api/pods/{id}/slots', { params, body: { slots } }));
    await changed();
    close();
  };
  const set = useAct(() => change(Number(wanted)));
  const reset = useAct(() => change(null));
  return (
    <Form act={set} class="confirm">
      <input
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
      <button type="button" class="button" onClick={() => void reset.run()}>
        As in the file
      </button>{' '}
      <button type="button" class="button" onClick={close}>
        Cancel
      </button>
      {reset.failure && <span role="alert"> {reset.failure}</span>}
    </Form>
  );
}
