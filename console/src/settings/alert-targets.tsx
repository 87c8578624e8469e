/** Where alerts go: Slack, e-mail addresses and webhooks, with what was sent. In the settings, and in the console for pods. */
import { useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { useAct } from '../parts/act.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { Confirmed } from './confirmed.tsx';
import { Deliveries } from './deliveries.tsx';
import { RowForm } from './row-form.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 10_000;
type Target = Schemas['AlertTarget'];

/** The targets of who is signed in. */
export const targets = polled(() => granted(settings.GET('/settings/api/alert-targets')), EVERY_MS);

/** The list, and a form for a new one. `none`: what there is to say while there are none. */
export function Targets({ mayChange, none }: { readonly mayChange: boolean; readonly none: string }) {
  return (
    <Shown source={targets} lines={2}>
      {({ data, mail }) => (
        <>
          {mayChange && <NewTarget mail={mail} />}
          {data.length === 0 ? (
            <Empty>{none}</Empty>
          ) : (
            data.map((target) => <OneTarget key={target.target_id} of={target} mayChange={mayChange} />)
          )}
        </>
      )}
    </Shown>
  );
}

function NewTarget({ mail }: { readonly mail: boolean }) {
  const [channel, setChannel] = useState<'slack' | 'mail'>(mail ? 'mail' : 'slack');
  const [address, setAddress] = useState('');
  const add = async () => {
    await granted(settings.POST('/settings/api/alert-targets', { body: { channel, address } }));
    setAddress('');
    await targets.again();
  };
  const hint = channel === 'mail' ? 'It gets a link first, and nothing until its reader agrees.' : '';
  return (
    <RowForm label="Add the target" act={add} hint={mail ? hint : 'This gateway sends no mail.'}>
      <label>
        Kind{' '}
        <select value={channel} onChange={({ currentTarget }) => setChannel(currentTarget.value as typeof channel)}>
          {mail && <option value="mail">E-mail</option>}
          <option value="slack">Slack</option>
        </select>
      </label>
      <label>
        {channel === 'mail' ? 'E-mail address' : 'Address of the incoming webhook'}{' '}
        <input
          required
          class="wide"
          maxLength={2000}
          value={address}
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
      </label>
    </RowForm>
  );
}

function OneTarget({ of, mayChange }: { readonly of: Target; readonly mayChange: boolean }) {
  const { target_id: id, address, channel, confirmed, enabled } = of;
  const path = { params: { path: { id } } } as const;
  const [sent, setSent] = useState(0);
  const test = useAct(async () => {
    await granted(settings.POST('/settings/api/alert-targets/{id}/test', path));
    setSent(sent + 1);
  });
  const renew = useAct(async () => {
    await granted(settings.POST('/settings/api/alert-targets/{id}/renew', path));
    setSent(sent + 1);
    void targets.again();
  });
  const remove = async () => {
    await granted(settings.DELETE('/settings/api/alert-targets/{id}', path));
    await targets.again();
  };
  const failure = test.failure || renew.failure;
  return (
    <section class="panel" aria-label={address}>
      <h2>{address}</h2>
      <p class={confirmed && enabled ? 'faint small' : 'fall'}>{stateOf(of)}</p>
      {mayChange && (
        <p class="row">
          {confirmed && (
            <button type="button" class="button" onClick={() => void test.run()}>
              Send a test
            </button>
          )}
          {!(confirmed && enabled) && (
            <button type="button" class="button" onClick={() => void renew.run()}>
              {confirmed ? 'Switch it on' : 'Send the link again'}
            </button>
          )}
          {channel !== 'webhook' && (
            <Confirmed
              text="Remove"
              label={`Remove ${address}`}
              warning="Its alerts are removed, too."
              yes="Remove it"
              no="Keep it"
              act={remove}
            />
          )}
        </p>
      )}
      {failure !== '' && (
        <p class="fall" role="alert">
          {failure}
        </p>
      )}
      <Deliveries key={sent} load={() => granted(settings.GET('/settings/api/alert-targets/{id}/deliveries', path))} />
    </section>
  );
}

const CHANNELS: Readonly<Record<string, string>> = { mail: 'E-mail', slack: 'Slack', webhook: 'Webhook' };

function stateOf({ channel, confirmed, enabled, disabled_reason: reason }: Target): string {
  if (!confirmed) return 'Nothing is sent until its reader follows the link in the mail.';
  return enabled ? (CHANNELS[channel] ?? channel) : `It is off. ${reason ?? ''}`;
}
