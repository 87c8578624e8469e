/** One order of any account: its life, its money, and what it sent where that is kept. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { placeLink } from '../address.ts';
import { useSource } from '../data/polled.ts';
import { countWhole, duration, moneyWholeText, priceWholeText } from '../format.ts';
import { useAct } from '../parts/act.tsx';
import { Moment, Nothing } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AccountName } from './account-name.tsx';

const EVERY_MS = 5_000;

type Order = Schemas['SoldOrder'];

/** The page at `#/orders/ID`; `mayRead` is for those who may see what it sent. */
export function OrderPage({ id, mayRead }: { readonly id: string; readonly mayRead: boolean }) {
  const load = () => granted(settings.GET('/console/api/orders/{id}', { params: { path: { id } } }));
  const source = useSource(id, load, EVERY_MS);
  return (
    <>
      <p class="small">
        <a href={placeLink('orders')}>All orders</a>
      </p>
      <Heading title="Order" />
      <p class="path">{id}</p>
      <Shown source={source}>
        {(order) => (
          <div class="grid">
            <Panel title="Timeline">
              <Life of={order} />
            </Panel>
            <Panel title="Terms">
              <Terms of={order} />
            </Panel>
            <Panel title="Money">
              <Settlement of={order} />
            </Panel>
            {mayRead && (
              <Panel title="What it sent">
                <Sent id={order.id} />
              </Panel>
            )}
          </div>
        )}
      </Shown>
      <Source path={`/console/api/orders/${encodeURIComponent(id)}`} />
    </>
  );
}

function Panel({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type Line = readonly [string, ComponentChildren];

/** Names and what they are, as a list; false is no line. */
function List({ of }: { readonly of: readonly (Line | false)[] }) {
  return (
    <dl class="figures">
      {of.map(
        (line) =>
          line && [
            <dt key={line[0]}>{line[0]}</dt>,
            <dd key={`${line[0]} is`}>{line[1] === null || line[1] === '' ? <Nothing /> : line[1]}</dd>,
          ],
      )}
    </dl>
  );
}

function Life({ of }: { readonly of: Order }) {
  const [first] = of.timeline;
  const moments = of.timeline.map(
    ({ at, what }): Line => [
      what,
      <span key={at}>
        <Moment ms={Date.parse(at)} />
        {first && at !== first.at && `, after ${duration(Date.parse(at) - Date.parse(first.at))}`}
      </span>,
    ],
  );
  return (
    <List
      of={[
        ['Status', of.status],
        ...moments,
        ['Error', of.error && `${of.error}${of.error_message === null ? '' : `: ${of.error_message}`}`],
        ['Pod', of.pod],
        ['Times admitted', `${of.attempts}, ${of.failures} failed because of a pod`],
        ['Result', of.result],
        of.status === 'queued' && ['Leaves the book', <Moment key="expires" ms={Date.parse(of.expires_at)} />],
      ]}
    />
  );
}

function Terms({ of }: { readonly of: Order }) {
  const { price_limit: limit } = of;
  return (
    <List
      of={[
        ['Account', <AccountName key="account" id={of.account_id} />],
        ['Key', of.key_id && <KeyName key="key" account={of.account_id} id={of.key_id} />],
        ['Batch', of.batch_id && `${of.batch_id}${of.custom_id === null ? '' : `, line ${of.custom_id}`}`],
        ['Model', of.model],
        ['Endpoint', of.kind],
        // Nobody bids at a fixed price, so an order there has no limit of its own.
        [limit === null ? 'Fixed price' : 'Bid', `${priceWholeText(of.bid)} per 1M`],
        limit !== null && ['Own limit', `${priceWholeText(limit)} per 1M`],
        limit !== null && ['Price lock', of.price_lock ? 'yes' : 'no'],
        ['Prompt, at most', `${countWhole(of.prompt_tokens_max)} tokens`],
        ['Output, at most', `${countWhole(of.output_tokens_max)} tokens`],
      ]}
    />
  );
}

const KEYS_EVERY_MS = 60_000;

/** The name of a key of the account; its id until that is known, and where the reader points. */
function KeyName({ account, id }: { readonly account: string; readonly id: string }) {
  const params = { path: { id: account } };
  const load = () => granted(settings.GET('/console/api/accounts/{id}/keys', { params }));
  const { value } = useSource(account, load, KEYS_EVERY_MS).asked.value;
  const key = value?.data.find(({ key_id }) => key_id === id);
  return <span title={id}>{key?.name ?? id}</span>;
}

function Settlement({ of }: { readonly of: Order }) {
  const { settlement, receipt, hold_usd: hold, price_limit: limit } = of;
  if (settlement === null)
    return <p>{hold > 0 ? `It is not settled; ${moneyWholeText(hold)} are held for it.` : 'It was not charged.'}</p>;
  const { prompt_tokens, cached_tokens, output_tokens, estimated } = settlement;
  const counted = estimated ? ', counted by the gateway' : '';
  return (
    <List
      of={[
        ['Prompt', `${countWhole(prompt_tokens)} tokens, ${countWhole(cached_tokens)} of them cached${counted}`],
        ['Output', `${countWhole(output_tokens)} tokens`],
        ['Price', receipt && `${priceWholeText(receipt.level_at_execution)} per 1M`],
        ['Charged', moneyWholeText(settlement.charged_usd)],
        limit !== null && ['At its bid', moneyWholeText(settlement.at_bid_usd)],
        ['Refunded', moneyWholeText(settlement.refunded_usd)],
        ['Written off', moneyWholeText(settlement.written_off_usd)],
      ]}
    />
  );
}

function Sent({ id }: { readonly id: string }) {
  const [text, setText] = useState<string | null>(null);
  const read = useAct(async () => {
    const { body } = await granted(settings.GET('/console/api/orders/{id}/request', { params: { path: { id } } }));
    setText(JSON.stringify(body, null, 2));
  });
  if (text !== null) return <ScrolledCode kind="call" text={text} />;
  return (
    <>
      <p>
        Kept only where the account asked for it. These are somebody's own words: that you read them is written to the
        audit log.
      </p>
      <button type="button" class="button" onClick={() => void read.run()}>
        Show it
      </button>
      {read.failure && <p role="alert">{read.failure}</p>}
    </>
  );
}
