/** One order: its timeline, and its receipt, which the browser computes again. */
import { useSource } from '../data/polled.ts';
import { countWhole, duration, moneyWholeText, priceWholeText } from '../format.ts';
import { Moment, Nothing } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderOutcome } from './order-table.tsx';
import { type ByKind, type ChargedBy, dollars, nano, recomputedNano, stepsOf } from './receipt.ts';
import { granted, type Schemas, settings } from './session.ts';
import { Signature } from './signature.tsx';

const EVERY_MS = 3_000;

type Details = Schemas['OrderDetails'];
type Settlement = NonNullable<Schemas['SoldOrderSettlement']>;

/** The screen at `#/order/…`. */
export function OrderView({ id, role }: { readonly id: string; readonly role: string }) {
  const load = () => granted(settings.GET('/settings/api/orders/{id}', { params: { path: { id } } }));
  const source = useSource(id, load, EVERY_MS);
  const mayChange = role === 'owner' || role === 'developer';
  return (
    <>
      <p class="small">
        <a href="#/activity">All orders</a>
      </p>
      <Heading title="Order" />
      <p class="path">{id}</p>
      <Shown source={source}>
        {(value) => (
          <>
            {mayChange && value.order.status === 'queued' && (
              <OrderActions order={value.order} onChanged={source.again} />
            )}
            <div class="grid">
              <section class="panel" aria-label="Timeline">
                <h2>Timeline</h2>
                <Facts of={value} />
                <Timeline steps={value.timeline} />
              </section>
              <Receipt of={value} />
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

function Facts({ of: { order, price_limit, attempts, error_message } }: { readonly of: Details }) {
  return (
    <dl class="figures">
      <dt>Status</dt>
      <dd>
        <OrderOutcome order={order} />
      </dd>
      {error_message !== null && [<dt key="why">Why</dt>, <dd key="because">{error_message}</dd>]}
      <dt>Model</dt>
      <dd>{order.model}</dd>
      <dt>Endpoint</dt>
      <dd>{order.kind}</dd>
      {order.custom_id != null && [<dt key="line">Line of a batch</dt>, <dd key="custom">{order.custom_id}</dd>]}
      <dt>Limit</dt>
      <dd>{price_limit === null ? <Nothing /> : priceWholeText(price_limit)}</dd>
      <dt>Bid</dt>
      <dd>{priceWholeText(order.bid)}</dd>
      <dt>Price charged, the lower of level and bid</dt>
      <dd>{order.level_at_execution === null ? <Nothing /> : priceWholeText(order.level_at_execution)}</dd>
      {attempts > 1 && [<dt key="tries">Times started</dt>, <dd key="times">{attempts}</dd>]}
    </dl>
  );
}

/** Its life, and how long after it was sent each step came. */
function Timeline({ steps }: { readonly steps: Details['timeline'] }) {
  const begin = Date.parse(steps[0]?.at ?? '');
  return (
    <ol class="timeline" aria-label="Timeline">
      {steps.map(({ at, what }) => (
        <li key={what}>
          <span class="what">{what}</span> <Moment ms={Date.parse(at)} />
          {Date.parse(at) > begin && <span class="faint"> after {duration(Date.parse(at) - begin)}</span>}
        </li>
      ))}
    </ol>
  );
}

function Receipt({ of: { order, settlement, tariff } }: { readonly of: Details }) {
  return (
    <section class="panel" aria-label="Receipt">
      <h2>Receipt</h2>
      {settlement ? (
        <>
          <Charge usage={settlement} terms={termsOf(order.level_at_execution, tariff)} />
          <Signature id={order.id} />
        </>
      ) : (
        <p class="faint">
          {order.finished_at === null ? 'There is a receipt when the order is done.' : 'Nothing was charged.'}
        </p>
      )}
    </section>
  );
}

/** What it was charged by: the weights of the model may be others by now. */
function termsOf(price: number | null, { pricing, cached, uncached, output }: Details['tariff']): ChargedBy {
  const parts: ByKind = { cached, uncached, output };
  return pricing === 'fixed'
    ? { pricing: 'fixed', prices: parts }
    : { pricing: 'market', price: price ?? 0, ratio: parts };
}

function Charge({ usage, terms }: { readonly usage: Settlement; readonly terms: ChargedBy }) {
  const tokens = {
    cached: usage.cached_tokens,
    uncached: usage.prompt_tokens - usage.cached_tokens,
    output: usage.output_tokens,
  };
  return (
    <>
      <table class="tokens">
        <thead>
          <tr>
            <th scope="col">Tokens</th>
            <th scope="col" class="number">
              Count
            </th>
            <th scope="col" class="number">
              {terms.pricing === 'fixed' ? 'USD per 1M' : 'Weight'}
            </th>
          </tr>
        </thead>
        <tbody>
          {KINDS.map(([kind, name]) => (
            <tr key={kind}>
              <th scope="row">{name}</th>
              <td class="number">{countWhole(tokens[kind])}</td>
              <td class="number">{countWhole(partsOf(terms)[kind])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl class="figures">
        <dt>Charged</dt>
        <dd>{moneyWholeText(usage.charged_usd)}</dd>
        {usage.refunded_usd > 0 && [
          <dt key="back">Given back later</dt>,
          <dd key="refund">{moneyWholeText(usage.refunded_usd)}</dd>,
        ]}
        {usage.written_off_usd > 0 && [
          <dt key="over">Cost more than was held; nobody pays it</dt>,
          <dd key="written">{moneyWholeText(usage.written_off_usd)}</dd>,
        ]}
      </dl>
      {usage.estimated && <p class="faint small">The pod did not say how many tokens it took: the gateway counted.</p>}
      <Verdict {...{ usage, terms, tokens }} />
    </>
  );
}

const KINDS = [
  ['cached', 'Input, cached'],
  ['uncached', 'Input, not cached'],
  ['output', 'Output'],
] as const;

function partsOf(terms: ChargedBy): ByKind {
  return terms.pricing === 'fixed' ? terms.prices : terms.ratio;
}

interface VerdictProps {
  readonly usage: Settlement;
  readonly terms: ChargedBy;
  readonly tokens: ByKind;
}

/** Whether the browser comes to the same amount. What was written off was computed, and not charged. */
function Verdict({ usage, terms, tokens }: VerdictProps) {
  const amount = recomputedNano(terms, tokens);
  const agrees = amount === nano(usage.charged_usd) + nano(usage.written_off_usd);
  return (
    <>
      <p class={`verdict ${agrees ? 'rise' : 'fall'}`}>
        Recomputed in this browser: {agrees ? 'agrees.' : `${moneyWholeText(dollars(amount))}, which differs.`}
      </p>
      <p class="faint small">
        {stepsOf(terms, tokens)}, rounded once to nine decimals.{' '}
        {terms.pricing === 'market' &&
          'Price × weighed tokens ÷ weighed reference mix: 0.9 cached, 0.1 not cached, 0.02 output. '}
        The {terms.pricing === 'market' ? 'weights' : 'prices'} are those under which the order was sent.
      </p>
    </>
  );
}
