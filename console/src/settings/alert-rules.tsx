/** The alerts of an account: what is watched, how each stands, and where messages go. Loaded when it is opened. */
import { useEffect } from 'preact/hooks';
import { board } from '../data/board.ts';
import { polled } from '../data/polled.ts';
import { moneyText, priceWholeText, share } from '../format.ts';
import { useAct } from '../parts/act.tsx';
import { Moment } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { Targets, targets } from './alert-targets.tsx';
import { Confirmed } from './confirmed.tsx';
import { RuleForm } from './rule-form.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 10_000;
/** As the description of the operation says. */
const CHECKED_EVERY_S = 15;
type Rule = Schemas['AlertRule'];

const alerts = polled(async () => {
  const [rules, keys] = await Promise.all([
    granted(settings.GET('/settings/api/alert-rules')),
    granted(settings.GET('/settings/api/keys')),
  ]);
  return { rules: rules.data, keys: keys.data };
}, EVERY_MS);

/** The screen at `#/alerts`. */
export function AlertsView({ role }: { readonly role: string }) {
  useEffect(() => alerts.start(), []);
  useEffect(() => targets.start(), []);
  useEffect(() => board.start(), []);
  const mayChange = role !== 'viewer';
  const known = targets.asked.value.value?.data ?? [];
  const create = async (body: Schemas['NewAlertRule']) => {
    await granted(settings.POST('/settings/api/alert-rules', { body }));
    await alerts.again();
  };
  return (
    <>
      <Heading title="Alerts" />
      <Shown source={alerts} lines={3}>
        {({ rules, keys }) => (
          <>
            {mayChange && known.length > 0 && (
              <RuleForm targets={known} keys={keys.filter(({ budget }) => budget !== null)} onSubmit={create} />
            )}
            {rules.length === 0 ? (
              <Empty>
                No alerts yet. An alert sends a message when a price, the balance, a budget or failures reach a bound,
                and another when that is over.{known.length === 0 && ' First add below where messages go.'}
              </Empty>
            ) : (
              <Rules rules={rules} keys={keys} known={known} mayChange={mayChange} />
            )}
          </>
        )}
      </Shown>
      {role !== 'developer' && (
        <p class="faint small">
          Alerts of a low balance that need no target are under <a href="#/billing">Billing</a>: they show a banner here
          and send the event balance.low to webhooks.
        </p>
      )}
      <h2>Where messages go</h2>
      <Targets mayChange={mayChange} none="Nowhere yet. Add a target above, or a webhook under Webhooks." />
    </>
  );
}

interface RulesProps {
  readonly rules: readonly Rule[];
  readonly keys: readonly Schemas['ListedKey'][];
  readonly known: readonly Schemas['AlertTarget'][];
  readonly mayChange: boolean;
}

function Rules({ rules, keys, known, mayChange }: RulesProps) {
  const keyName = (id: string | null) => keys.find(({ key_id }) => key_id === id)?.name ?? 'a key';
  const address = (id: string) => known.find(({ target_id }) => target_id === id)?.address ?? '';
  return (
    <DataTable
      label="Alerts"
      rows={rules}
      keyOf={({ alert_id }) => alert_id}
      columns={[
        { head: 'Alert', cell: (rule) => textOf(rule, keyName(rule.key_id)) },
        { head: 'State', cell: (rule) => <State of={rule} /> },
        { head: 'Sent to', cell: ({ target_id }) => address(target_id) },
        mayChange && {
          ...{ head: 'Change', unheaded: true },
          cell: (rule) => <Changes of={rule} text={textOf(rule, keyName(rule.key_id))} />,
        },
      ]}
    />
  );
}

function State({ of: { paused, firing, since } }: { readonly of: Rule }) {
  if (paused) return <span class="faint">paused</span>;
  if (since === null)
    return <span class="faint">not checked yet: the first check comes within {CHECKED_EVERY_S} s</span>;
  if (!firing) return <>quiet</>;
  return (
    <span class="fall">
      firing since <Moment ms={Date.parse(since)} />
    </span>
  );
}

function Changes({ of: { alert_id: id, paused }, text }: { readonly of: Rule; readonly text: string }) {
  const path = { params: { path: { id } } } as const;
  const pause = useAct(async () => {
    await granted(settings.PATCH('/settings/api/alert-rules/{id}', { ...path, body: { paused: !paused } }));
    // Not waited for: while an act is under way its button does nothing.
    void alerts.again();
  });
  const remove = async () => {
    await granted(settings.DELETE('/settings/api/alert-rules/{id}', path));
    await alerts.again();
  };
  return (
    <>
      <button
        type="button"
        class="plain"
        aria-label={`${paused ? 'Resume' : 'Pause'}: ${text}`}
        onClick={() => void pause.run()}
      >
        {paused ? 'Resume' : 'Pause'}
      </button>{' '}
      <Confirmed
        text="Remove"
        label={`Remove: ${text}`}
        warning="It sends nothing more."
        yes="Remove it"
        no="Keep it"
        act={remove}
      />
      {pause.failure !== '' && <span role="alert"> {pause.failure}</span>}
    </>
  );
}

/** What is watched, in words. */
function textOf({ subject, model, direction, bound }: Rule, key: string): string {
  if (subject === 'price')
    return `${model} ${direction === 'above' ? 'above' : 'at or below'} ${priceWholeText(bound)}`;
  if (subject === 'balance') return `Balance below ${moneyText(bound)}`;
  const part = share(bound * 100);
  return subject === 'budget' ? `${part} of the budget of ${key}` : `${part} of orders fail`;
}
