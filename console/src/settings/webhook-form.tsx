/** The events of a webhook, as a form: for a new one, and to change one. Part of the screen that is loaded when it is opened. */
import { useEffect, useState } from 'preact/hooks';
import { board } from '../data/board.ts';
import { sentenceOf } from '../data/polled.ts';
import type { Schemas } from './session.ts';

type EventName = Schemas['EventName'];

/** What one checkbox asks for. Levels are sent when one is watched. */
const KINDS = {
  Orders: ['order.done', 'order.error', 'order.expired', 'order.canceled'],
  Batches: ['batch.completed', 'batch.failed', 'batch.expired', 'batch.cancelled'],
  'Low balance': ['balance.low'],
  'Budgets of keys': ['key.budget_reached'],
} as const satisfies Record<string, readonly EventName[]>;
const kinds = Object.entries<readonly EventName[]>(KINDS);
const CROSSED = 'price.crossed';
/** As the API takes. */
const PRICES_MAX = 20;

/** What is typed. */
interface Fields {
  readonly url: string;
  readonly events: readonly EventName[];
  readonly allOrders: boolean;
  readonly prices: readonly { readonly model: string; readonly level: string }[];
}

const NEW: Fields = { url: '', events: [...KINDS.Orders, ...KINDS.Batches], allOrders: false, prices: [] };

function fieldsOf({ url, events, all_orders: allOrders, prices }: Schemas['Webhook']): Fields {
  const levels = prices.map(({ model, level_usd }) => ({ model, level: plain(level_usd) }));
  return { url, events: events as EventName[], allOrders, prices: levels };
}

/** Without an exponent, which the field would not show. */
function plain(usd: number): string {
  return usd.toFixed(9).replace(/\.?0+$/, '');
}

function bodyOf({ url, events, allOrders, prices }: Fields): Schemas['NewWebhook'] {
  const others = events.filter((event) => event !== CROSSED);
  return {
    ...{ url, events: prices.length > 0 ? [...others, CROSSED] : others, all_orders: allOrders },
    prices: prices.map(({ model, level }) => ({ model, level_usd: Number(level) })),
  };
}

interface WebhookFormProps {
  /** The one to change; a new one when absent. */
  readonly of?: Schemas['Webhook'];
  readonly submit: string;
  /** When it rejects, the form says why and keeps what was typed. */
  readonly onSubmit: (body: Schemas['NewWebhook']) => Promise<void>;
}

/** The form. */
export function WebhookForm({ of, submit, onSubmit }: WebhookFormProps) {
  const before = of ? fieldsOf(of) : NEW;
  const [fields, setFields] = useState(before);
  const [failure, setFailure] = useState('');
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const send = async () => {
    setFailure('');
    try {
      await onSubmit(bodyOf(fields));
      setFields(before);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  const { url, events, allOrders, prices } = fields;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p class="row">
        <label>
          Address{' '}
          <input
            type="url"
            required
            maxLength={2000}
            placeholder="https://"
            value={url}
            onInput={({ currentTarget }) => change({ url: currentTarget.value })}
          />
        </label>
        {kinds.map(([kind, names]) => (
          <Check
            key={kind}
            text={kind}
            on={names.every((name) => events.includes(name))}
            // What the API chose one by one stays as it is.
            onChange={(on) =>
              change({ events: [...events.filter((event) => !names.includes(event)), ...(on ? names : [])] })
            }
          />
        ))}
        {KINDS.Orders.some((name) => events.includes(name)) && (
          <Check
            text="Also orders that are answered at once, and lines of batches"
            on={allOrders}
            onChange={(on) => change({ allOrders: on })}
          />
        )}
      </p>
      <Levels {...{ prices }} onChange={(watched) => change({ prices: watched })} />
      <p class="row">
        <button type="submit" class="button primary" disabled={bodyOf(fields).events.length === 0}>
          {submit}
        </button>
        {failure && (
          <span class="fall" role="alert">
            {failure}
          </span>
        )}
      </p>
    </form>
  );
}

function Check({ text, on, onChange }: { text: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label>
      <input type="checkbox" checked={on} onChange={({ currentTarget }) => onChange(currentTarget.checked)} /> {text}
    </label>
  );
}

/** The levels that are watched, and one more. */
function Levels({ prices, onChange }: { prices: Fields['prices']; onChange: (prices: Fields['prices']) => void }) {
  useEffect(() => board.start(), []);
  const sold = (board.asked.value.value ?? []).filter(({ pricing }) => pricing === 'market').map(({ model }) => model);
  const [first] = sold;
  const put = (at: number, changed: Partial<Fields['prices'][number]>) =>
    onChange(prices.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <>
      {prices.map(({ model, level }, at) => (
        <p key={at} class="row">
          <label>
            Level of{' '}
            <select value={model} onChange={({ currentTarget }) => put(at, { model: currentTarget.value })}>
              {[...new Set([...sold, model])].map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            crosses{' '}
            <input
              type="number"
              required
              min={0.000001}
              max={1_000_000}
              step="any"
              value={level}
              onInput={({ currentTarget }) => put(at, { level: currentTarget.value })}
            />
          </label>
          <span class="faint small">USD per 1M input tokens at the reference mix, up or down</span>
          <button
            type="button"
            class="plain"
            aria-label={`Watch no more: ${model} at ${level}`}
            onClick={() => onChange(prices.filter((_, index) => index !== at))}
          >
            Watch no more
          </button>
        </p>
      ))}
      {first !== undefined && prices.length < PRICES_MAX && (
        <p class="row">
          <button type="button" class="plain" onClick={() => onChange([...prices, { model: first, level: '' }])}>
            Watch a level
          </button>
        </p>
      )}
    </>
  );
}
