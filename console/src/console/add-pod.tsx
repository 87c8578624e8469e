/** Adds a pod while the gateway runs: the gateway asks it first, and adds it only if it answers. */
import { useState } from 'preact/hooks';
import { Form, Unfold, useAct } from '../parts/act.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

interface AddPodProps {
  /** The models that have pods. */
  readonly models: readonly string[];
  /** Called after a pod was added. */
  readonly changed: () => Promise<void>;
}

/** The button, which unfolds into the form; then what the test call showed. */
export function AddPod({ models, changed }: AddPodProps) {
  const [added, say] = useState<Schemas['AddedPod'] | null>(null);
  return (
    <div class="row">
      <Unfold text="Add pod" look="button primary">
        {(close) => (
          <Fields
            models={models}
            close={close}
            done={async (pod) => {
              say(pod);
              close();
              await changed();
            }}
          />
        )}
      </Unfold>
      {added && (
        <p class="note" role="status">
          {added.pod.pod} is added and gets orders. Its answers have{' '}
          {added.reports_usage ? 'token counts' : 'no token counts, so that charges are estimated'}
          {added.reports_cached_tokens ? ', also of cached tokens.' : '.'}
        </p>
      )}
    </div>
  );
}

interface FieldsProps {
  readonly models: readonly string[];
  readonly close: () => void;
  readonly done: (added: Schemas['AddedPod']) => Promise<void>;
}

function Fields({ models, close, done }: FieldsProps) {
  const [pod, set] = useState({ model: models[0] ?? '', pod: '', address: '', slots: '8', served: '', key: '' });
  const add = useAct(async () => {
    const { model, pod: name, address, slots, served, key } = pod;
    const body = {
      ...{ model, pod: name, address, slots: Number(slots) },
      ...(served === '' ? {} : { served_model: served }),
      ...(key === '' ? {} : { api_key: key }),
    };
    await done(await granted(settings.POST('/console/api/pods', { body })));
  });
  const field = (name: keyof typeof pod) => ({
    value: pod[name],
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      set({ ...pod, [name]: currentTarget.value }),
  });
  return (
    <section class="panel" aria-label="Add pod">
      <h2>Add pod</h2>
      <p class="faint">
        The gateway sends it two short requests first, which may take a minute. It is stored in the database, not in the
        file.
      </p>
      <Form act={add} class="form">
        <label>
          Model <input required list="pod-models" maxLength={255} {...field('model')} />
        </label>
        <datalist id="pod-models">
          {models.map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <label>
          Name <input required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" placeholder="gpu-2" {...field('pod')} />
        </label>
        <label>
          Address <input required type="url" class="wide" placeholder="http://10.0.0.5:8000/v1" {...field('address')} />
        </label>
        <label>
          Slots <input required type="number" min={1} max={100_000} {...field('slots')} />
        </label>
        <label>
          Name of the model there <input maxLength={255} placeholder="the same" {...field('served')} />
        </label>
        <label>
          Its key <input type="password" autocomplete="off" placeholder="none" {...field('key')} />
        </label>
        <span class="row">
          <button type="submit" class="button primary" disabled={add.isBusy}>
            {add.isBusy ? 'Asking it …' : 'Test and add'}
          </button>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </span>
      </Form>
    </section>
  );
}
