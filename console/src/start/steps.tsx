/** The three steps to a first request: a session, a key, and the request itself, which the page waits for. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OrderList } from '#generated/types.ts';
import { repeatedly } from '../clock.ts';
import { Form, useAct } from '../parts/act.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Copy } from '../parts/source.tsx';
import { member } from '../remembered.ts';
import { granted, loadSession, type Schemas, session, settings } from '../settings/session.ts';

const LOOK_MS = 2_000;
const RETURN = `/settings/sign-in?${new URLSearchParams({ return: '/#/start' })}`;

/** Each is done, or says how; `children` is the request to run. */
export function Steps({ children }: { readonly children: ComponentChildren }) {
  const [key, setKey] = useState<string | null>(null);
  const order = useFirstOrder(key);
  useEffect(() => {
    if (member.value !== null && session.value === undefined) void loadSession();
  }, []);
  const who = session.value;
  return (
    <ol class="steps-list">
      <Step number={1} isDone={who !== null && who !== undefined} title="Sign in">
        {who ? (
          <p class="faint">
            You are {who.email}
            {who.account && `, of ${who.account.name}`}.
          </p>
        ) : (
          <p>
            <a class="button primary" href={RETURN}>
              Sign in
            </a>
          </p>
        )}
      </Step>
      <Step number={2} isDone={key !== null} title="Make a key">
        {key === null ? (
          <KeyForm mayMake={who?.account != null && who.role !== 'viewer'} became={setKey} />
        ) : (
          <div class="panel code">
            <div class="head">
              <span class="faint small">
                In a shell. It is shown only now. It may call models, and read what it made.
              </span>
              <Copy text={`export SLUICE_KEY=${key}`} />
            </div>
            <ScrolledCode text={`export SLUICE_KEY=${key}`} />
          </div>
        )}
      </Step>
      <Step number={3} isDone={order !== null} title="Run it">
        {children}
        {key !== null && (
          <p role="status">
            {order === null ? (
              <span class="pill pill-warn">Waiting for your first request…</span>
            ) : (
              <>
                <span class="pill pill-well">It arrived</span>{' '}
                <a href={`/settings#/order/${order}`}>See what it cost and why</a>
              </>
            )}
          </p>
        )}
      </Step>
    </ol>
  );
}

interface StepProps {
  readonly number: number;
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Step({ number, isDone, title, children }: StepProps) {
  return (
    <li>
      <span class={isDone ? 'tick tick-done' : 'tick'} role="img" aria-label={isDone ? 'Done' : `Step ${number}`}>
        {isDone ? '✓' : number}
      </span>
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}

function KeyForm({ mayMake, became }: { readonly mayMake: boolean; readonly became: (key: string) => void }) {
  const make = useAct(async () => {
    // It sees its own orders alone, so that the first that it sees is the one that the reader has sent.
    const body = { name: 'First call', scopes: ['inference', 'read_own'] } satisfies Schemas['NewKey'];
    const { api_key } = await granted(settings.POST('/settings/api/keys', { body }));
    became(api_key);
  });
  return (
    <Form act={make}>
      <button type="submit" class="primary" disabled={!mayMake || make.isBusy}>
        Make a key
      </button>
      <span class="faint small">
        Or take one that you have: <a href="/settings#/keys">your keys</a>.
      </span>
    </Form>
  );
}

/** The id of the first order of a key; null before it. */
function useFirstOrder(key: string | null): string | null {
  const [order, found] = useState<string | null>(null);
  useEffect(() => {
    if (key === null || order !== null) return undefined;
    const look = async () => {
      const response = await fetch('/v1/orders?limit=1', { headers: { authorization: `Bearer ${key}` } });
      if (!response.ok) return;
      const { data } = (await response.json()) as OrderList;
      const [first] = data;
      if (first) found(first.id);
    };
    return repeatedly(LOOK_MS, () => void look().catch(() => {}));
  }, [key, order]);
  return order;
}
