/**
 * Alerts of a low balance: the banner that every screen shows, and where they are set. They stand beside those of `#/alerts`,
 * which need a target: the event `balance.low` of webhooks comes from these.
 */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Banner } from '../parts/banner.tsx';
import { Moment, Money } from '../parts/figures.tsx';
import { RowForm } from './row-form.tsx';
import { granted, settings } from './session.ts';

const EVERY_MS = 30_000;
const alerts = polled(() => granted(settings.GET('/settings/api/alerts')), EVERY_MS);

const again = () => alerts.again();

/** The lowest alert that is crossed; nothing when none is. For those who see money. */
export function AlertBanner() {
  useEffect(() => alerts.start(), []);
  const crossed = alerts.asked.value.value?.data.filter(({ crossed_at }) => crossed_at !== null).at(-1);
  if (!crossed?.crossed_at) return null;
  const about = `${crossed.below_usd} ${crossed.crossed_at}`;
  return (
    <Banner key={about} name="sluice-alert" about={about} isWrong>
      The balance is below <Money value={crossed.below_usd} /> since <Moment ms={Date.parse(crossed.crossed_at)} />.{' '}
      <a href="#/billing">Billing</a>
    </Banner>
  );
}

/** The section of the billing screen. */
export function AlertForm() {
  const { value } = alerts.asked.value;
  const known = value?.data.map(({ below_usd }) => below_usd).join(', ') ?? '';
  return value && <Alerts key={known} known={known} />;
}

function Alerts({ known }: { readonly known: string }) {
  const [text, setText] = useState(known);
  const set = async () => {
    const below_usd = text.split(/[\s,]+/).flatMap((part) => (part === '' ? [] : [Number(part)]));
    await granted(settings.PUT('/settings/api/alerts', { body: { below_usd } }));
    await again();
  };
  return (
    <RowForm
      label="Set the alerts"
      act={set}
      hint={
        <>
          Up to ten, with commas. They need no target: these settings show a banner, and webhooks get balance.low.{' '}
          <a href="#/alerts">Alerts</a> can also write to people.
        </>
      }
    >
      <label>
        Alert under USD{' '}
        <input value={text} placeholder="20, 5" onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
    </RowForm>
  );
}
