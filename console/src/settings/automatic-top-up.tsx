/** Automatic top-up: when, how much and how often at most; the card that pays, and why the gateway switched it off. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Form, useAct } from '../parts/act.tsx';
import { Moment, Money } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 15_000;
const topUp = polled(() => granted(settings.GET('/settings/api/automatic-top-up')), EVERY_MS);

const again = () => topUp.again();

type State = Schemas['AutomaticTopUp'];

const FIELDS = [
  ['threshold_usd', 'Below USD', { min: 1, max: 10_000, step: 0.01 }],
  ['amount_usd', 'pay USD', { min: 10, max: 10_000, step: 0.01 }],
  ['per_day_max', 'at most times a day', { min: 1, max: 10, step: 1 }],
  ['month_max_usd', 'and USD a month', { min: 10, max: 100_000, step: 0.01 }],
] as const;

/** The section of the billing screen. */
export function AutomaticTopUp({ role }: { readonly role: string }) {
  useEffect(() => topUp.start(), []);
  return (
    <section>
      <h2>Automatic top-up</h2>
      <Shown source={topUp} lines={2}>
        {(value) => <Body of={value} owner={role === 'owner'} />}
      </Shown>
    </section>
  );
}

function Body({ of, owner }: { readonly of: State; readonly owner: boolean }) {
  const figures = FIELDS.map(([name]) => of[name]).join(' ');
  return (
    <>
      {of.off_reason !== null && (
        <p class="note fall" role="alert">
          Switched off: {of.off_reason} {of.off_at !== null && <Moment ms={Date.parse(of.off_at)} />}
        </p>
      )}
      <p class="faint">
        {of.enabled ? 'On' : 'Off'}. <Money value={of.used_this_month_usd} /> of <Money value={of.month_max_usd} /> were
        used this month.{' '}
        {of.card_saved ? 'A card is saved.' : 'No card is saved: pay by card once and tick “keep the card”.'}
      </p>
      {owner && <Wishes key={figures} of={of} />}
    </>
  );
}

function Wishes({ of }: { readonly of: State }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(FIELDS.map(([name]) => [name, String(of[name])])),
  );
  const decide = async (enabled: boolean) => {
    const [threshold_usd, amount_usd, per_day_max, month_max_usd] = FIELDS.map(([name]) => Number(texts[name])) as [
      ...[number, number, number, number],
    ];
    const body = { enabled, threshold_usd, amount_usd, per_day_max, month_max_usd };
    await granted(settings.PUT('/settings/api/automatic-top-up', { body }));
    await again();
  };
  const on = useAct(() => decide(true));
  const off = useAct(() => decide(false));
  const remove = async () => {
    await granted(settings.DELETE('/settings/api/automatic-top-up/card'));
    await again();
  };
  return (
    <Form act={on}>
      {FIELDS.map(([name, text, bounds]) => (
        <label key={name}>
          {text}{' '}
          <input
            type="number"
            {...bounds}
            required
            value={texts[name]}
            onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit" class="button" disabled={!of.card_saved}>
        {of.enabled ? 'Save' : 'Switch on'}
      </button>
      {of.enabled && (
        <button type="button" class="button" onClick={() => void off.run()}>
          Switch off
        </button>
      )}
      {of.card_saved && (
        <Confirmed
          text="Remove the card"
          warning="Nothing is topped up automatically any more."
          yes="Remove it"
          no="Keep it"
          act={remove}
        />
      )}
      {off.failure && <span role="alert">{off.failure}</span>}
    </Form>
  );
}
