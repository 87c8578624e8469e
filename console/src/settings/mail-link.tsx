/** What the link in a mail leads to, without a session: its reader agrees to mails, or stops them. */
import { useState } from 'preact/hooks';
import { useAct } from '../parts/act.tsx';
import { Heading } from '../parts/heading.tsx';
import { granted, settings } from './session.ts';

/** The screen at `#/mail/LINK`. Nothing happens before a button is pressed: programs open the links of mails. */
export function MailLink({ link }: { readonly link: string }) {
  const [done, setDone] = useState('');
  const change = (subscribed: boolean) => async () => {
    await granted(settings.POST('/settings/api/mail-links', { body: { link, subscribed } }));
    setDone(subscribed ? 'Alerts are sent to your address from now on.' : 'Nothing more is sent to your address.');
  };
  const allow = useAct(change(true));
  const stop = useAct(change(false));
  return (
    <section class="panel narrow">
      <Heading title="Alerts by mail" />
      <p>Do you want alerts of this gateway at your address? The link of each mail leads back here.</p>
      <p class="row">
        <button type="button" class="button primary" onClick={() => void allow.run()}>
          Send me alerts
        </button>
        <button type="button" class="button" onClick={() => void stop.run()}>
          Stop all mails
        </button>
      </p>
      {done !== '' && <p role="status">{done}</p>}
      {(allow.failure || stop.failure) !== '' && <p role="alert">{allow.failure || stop.failure}</p>}
    </section>
  );
}
