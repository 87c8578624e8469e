/** The settings of a key as a form has them, and what of them changed as the gateway takes it. */
import type { BoardRow } from '../data/board.ts';
import type { Schemas } from './session.ts';

/** What is typed. */
export interface KeyFields {
  readonly name: string;
  /** USD; empty for none. */
  readonly budget: string;
  readonly reset: Reset;
  /** Local time, as the input has it; empty for never. */
  readonly expires: string;
  /** Empty for all. */
  readonly models: readonly string[];
  /** What it may do; `default`: as its budget and models imply. */
  readonly scopes: readonly Scope[] | 'default';
  /** Addresses and networks, separated by spaces; empty for anywhere. */
  readonly addresses: string;
  /** The e-mail of the member with whom it ends; empty for none. */
  readonly member: string;
  /** USD by model; empty for none. */
  readonly limits: Readonly<Record<string, string>>;
  /** Whether calls with misspelt fields are refused. */
  readonly strict: boolean;
}

type Scope = NonNullable<Schemas['KeySettings']['scopes']>[number];

/** What each scope allows. */
const SCOPES: readonly (readonly [Scope, string])[] = [
  ['inference', 'send requests, and cancel or delete what it made'],
  ['read_own', 'read what it made'],
  ['read_all', 'read what all keys made'],
  ['manage', 'change the defaults of the account, and what all keys made'],
];
const NARROW: readonly Scope[] = ['inference', 'read_own'];
const ALL: readonly Scope[] = SCOPES.map(([scope]) => scope);

/** What most keys are for, the least first. */
const USES: readonly (readonly [text: string, scopes: readonly Scope[]])[] = [
  ['call models, and read what it made', NARROW],
  ['call models, and read all of the account', [...NARROW, 'read_all']],
  ['do everything, also change defaults and what other keys made', ALL],
];

type Reset = NonNullable<Schemas['KeySettings']['budget_reset']>;

const RESETS: readonly (readonly [Reset, string])[] = [
  ['day', 'every day'],
  ['week', 'every week'],
  ['month', 'every month'],
  ['never', 'never'],
];

/** A new key: it calls models, unless more is chosen. */
export const NEW_FIELDS: KeyFields = {
  ...{ name: '', budget: '', reset: 'month', expires: '', models: [], limits: {}, strict: false },
  ...{ scopes: NARROW, addresses: '', member: '' },
};

/** The fields of a key that exists. */
export function fieldsOf({ name, budget, expires_at, models, price_limits, ...key }: Schemas['ListedKey']): KeyFields {
  return {
    name,
    budget: budget === null ? '' : plain(budget.amount_usd),
    reset: RESETS.find(([reset]) => reset === budget?.reset)?.[0] ?? NEW_FIELDS.reset,
    expires: expires_at === null ? '' : localOf(Date.parse(expires_at)),
    models: models ?? [],
    scopes: key.default_scopes ? 'default' : ALL.filter((scope) => key.scopes.includes(scope)),
    addresses: key.addresses?.join(' ') ?? '',
    member: key.member ?? '',
    limits: Object.fromEntries(Object.entries(price_limits).map(([model, limit]) => [model, plain(limit)])),
    strict: key.strict,
  };
}

/** What is different in `now`; what was not touched is not sent. */
export function changesOf(before: KeyFields, now: KeyFields): Schemas['KeySettings'] {
  const differs = (field: keyof KeyFields) => JSON.stringify(before[field]) !== JSON.stringify(now[field]);
  const hasBudget = now.budget.trim() !== '';
  return {
    ...(differs('name') ? { name: now.name } : {}),
    ...(differs('budget') ? { budget_usd: hasBudget ? now.budget.trim() : null } : {}),
    // A key that had no budget may remember a reset of an earlier one.
    ...(hasBudget && (differs('reset') || before.budget === '') ? { budget_reset: now.reset } : {}),
    ...(differs('expires') ? { expires_at: now.expires === '' ? null : new Date(now.expires).toISOString() } : {}),
    ...(differs('models') ? { models: now.models.length === 0 ? null : [...now.models] } : {}),
    ...(differs('scopes') ? { scopes: now.scopes === 'default' ? null : [...now.scopes] } : {}),
    ...(differs('addresses') ? { addresses: addressesOf(now) } : {}),
    ...(differs('member') ? { member: now.member.trim() === '' ? null : now.member.trim() } : {}),
    ...(differs('limits') ? { price_limits: limitsOf(now) } : {}),
    ...(differs('strict') ? { strict: now.strict } : {}),
  };
}

function addressesOf({ addresses }: KeyFields): string[] | null {
  const entries = addresses.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.length === 0 ? null : entries;
}

/** What a key without scopes of its own may do. */
function defaultOf({ budget, models }: KeyFields): readonly Scope[] {
  return budget.trim() === '' && models.length === 0 ? ALL : NARROW;
}

/** What it may do. */
export function allowedOf(fields: KeyFields): readonly Scope[] {
  return fields.scopes === 'default' ? defaultOf(fields) : fields.scopes;
}

/** What a key with these scopes may do, in words. */
export function mayText(scopes: readonly string[]): string {
  const use = USES.find(([, each]) => each.join() === scopes.join());
  return use?.[0] ?? SCOPES.flatMap(([scope, text]) => (scopes.includes(scope) ? [text] : [])).join('; ');
}

function limitsOf({ limits }: KeyFields): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([model, limit]) => (limit.trim() === '' ? [] : [[model, Number(limit)]])),
  );
}

/** Nine decimals at most, without an exponent. */
function plain(usd: number): string {
  return usd.toFixed(9).replace(/\.?0+$/, '');
}

function localOf(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface FieldsProps {
  readonly fields: KeyFields;
  readonly onChange: (fields: KeyFields) => void;
  /** What is on sale; what the key names besides is shown, too. */
  readonly models: readonly BoardRow[];
}

/** What the key is for; the scopes themselves are among the other fields. */
export function UseField({ fields, onChange }: Omit<FieldsProps, 'models'>) {
  const text = mayText(allowedOf(fields));
  const isOther = USES.every(([each]) => each !== text);
  return (
    <label>
      It may{' '}
      <select
        value={text}
        onChange={({ currentTarget: { value } }) => {
          const use = USES.find(([each]) => each === value);
          if (use) onChange({ ...fields, scopes: use[1] });
        }}
      >
        {[...USES.map(([each]) => each), ...(isOther ? [text] : [])].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

/** Budget, expiry, models and limits. */
export function SettingFields({ fields, onChange, models }: FieldsProps) {
  const set = (change: Partial<KeyFields>) => onChange({ ...fields, ...change });
  return (
    <div class="fields">
      <p class="row">
        <label>
          Budget, USD{' '}
          <input
            class="amount"
            inputMode="decimal"
            placeholder="none"
            value={fields.budget}
            onInput={({ currentTarget }) => set({ budget: currentTarget.value })}
          />
        </label>
        <label>
          starts again{' '}
          <select value={fields.reset} onChange={({ currentTarget }) => set({ reset: currentTarget.value as Reset })}>
            {RESETS.map(([reset, text]) => (
              <option key={reset} value={reset}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Expires{' '}
          <input
            type="datetime-local"
            value={fields.expires}
            onInput={({ currentTarget }) => set({ expires: currentTarget.value })}
          />
        </label>
      </p>
      <p class="faint small">
        Periods begin at midnight UTC, weeks on Monday. However many calls come at once, the key never costs more than
        its budget. It counts what is sent from now on.
      </p>
      <ModelFields {...{ fields, onChange, models }} />
      <ReachFields {...{ fields, onChange }} />
      <p class="row">
        <label>
          <input
            type="checkbox"
            checked={fields.strict}
            onChange={({ currentTarget }) => set({ strict: currentTarget.checked })}
          />{' '}
          Refuse calls with misspelt fields, such as price_limt
        </label>
      </p>
    </div>
  );
}

/** Scopes, addresses and the owner. */
function ReachFields({ fields, onChange }: Omit<FieldsProps, 'models'>) {
  const allowed = allowedOf(fields);
  const choose = (scope: Scope, chosen: boolean) => {
    const scopes = ALL.filter((one) => (one === scope ? chosen : allowed.includes(one)));
    onChange({ ...fields, scopes: scopes.length === 0 ? 'default' : scopes });
  };
  return (
    <details>
      <summary>
        Scopes: {allowed.join(', ')}
        {fields.scopes === 'default' && ' (the default)'}; addresses: {addressesOf(fields)?.join(', ') ?? 'any'}; owner:{' '}
        {fields.member || 'none'}
      </summary>
      <p class="faint small">
        A key with a budget or a list of models reads and changes only what it made, unless its scopes say otherwise.
        The key ends when its owner, a member of the account, is removed.
      </p>
      {SCOPES.map(([scope, text]) => (
        <p key={scope}>
          <label>
            <input
              type="checkbox"
              checked={allowed.includes(scope)}
              onChange={({ currentTarget }) => choose(scope, currentTarget.checked)}
            />{' '}
            <code>{scope}</code>: {text}
          </label>
        </p>
      ))}
      <p class="row">
        <button type="button" class="plain" onClick={() => onChange({ ...fields, scopes: 'default' })}>
          Use the default scopes
        </button>
        <label>
          Addresses{' '}
          <input
            placeholder="any, or 203.0.113.0/24 2001:db8::/48"
            value={fields.addresses}
            onInput={({ currentTarget }) => onChange({ ...fields, addresses: currentTarget.value })}
          />
        </label>
        <label>
          Owner{' '}
          <input
            type="email"
            placeholder="none"
            value={fields.member}
            onInput={({ currentTarget }) => onChange({ ...fields, member: currentTarget.value })}
          />
        </label>
      </p>
    </details>
  );
}

function ModelFields({ fields, onChange, models }: FieldsProps) {
  const named = [...new Set([...models.map(({ model }) => model), ...fields.models, ...Object.keys(fields.limits)])];
  const isFixed = (id: string) => models.find(({ model }) => model === id)?.pricing === 'fixed';
  const choose = (id: string, chosen: boolean) =>
    onChange({ ...fields, models: chosen ? [...fields.models, id] : fields.models.filter((one) => one !== id) });
  return (
    <details>
      <summary>
        Models: {fields.models.length === 0 ? 'all' : fields.models.join(', ')}; limits:{' '}
        {Object.keys(limitsOf(fields)).length === 0 ? 'none' : Object.keys(limitsOf(fields)).join(', ')}
      </summary>
      <p class="faint small">
        With no model ticked the key may use all. The limit, USD per 1M input tokens at the reference mix, is for calls
        that name none.
      </p>
      <table class="models">
        <thead>
          <tr>
            <th scope="col">Only</th>
            <th scope="col">Default limit</th>
          </tr>
        </thead>
        <tbody>
          {named.map((id) => (
            <tr key={id}>
              <td>
                <label>
                  <input
                    type="checkbox"
                    checked={fields.models.includes(id)}
                    onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
                  />{' '}
                  {id}
                </label>
              </td>
              <td>
                {isFixed(id) ? (
                  <span class="faint">fixed prices</span>
                ) : (
                  <input
                    class="amount"
                    type="number"
                    min="0"
                    step="any"
                    aria-label={`Default limit of ${id}`}
                    value={fields.limits[id] ?? ''}
                    onInput={({ currentTarget: { value } }) =>
                      onChange({ ...fields, limits: { ...fields.limits, [id]: value } })
                    }
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
