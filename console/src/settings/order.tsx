/** One order: what became of it, and its receipt, which the browser computes again. */
import { answered, api } from '../data/api.ts';
import { usePolled } from '../data/polled.ts';
import { countWhole, usdWhole } from '../format.ts';
import { Moment, Nothing } from '../parts/figures.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { OrderOutcome } from './activity.tsx';
import { type ByKind, type ChargedBy, dollars, nano, recomputedNano, stepsOf } from './receipt.ts';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 3_000;

type Order = Schemas['Order'];
type Usage = NonNullable<Schemas['OrderUsage']>;

/** The screen at `#/order/…`. */
export function OrderView({ id }: { readonly id: string }) {
  const { value, failure } = usePolled(id, () => found(id), EVERY_MS);
  return (
    <>
      <p class="small">
        <a href="#/activity">All orders</a>
      </p>
      <h1>Order</h1>
      <p class="path">{id}</p>
      {failure && <Failure sentence={failure} />}
      {value === null ? (
        !failure && <Loading />
      ) : (
        <div class="grid">
          <section class="panel" aria-label="What became of it">
            <h2>What became of it</h2>
            <Facts order={value.order} />
          </section>
          <Receipt order={value.order} terms={value.terms} />
        </div>
      )}
    </>
  );
}

/** The order and what it was charged by; without terms where the model is no longer known. */
async function found(id: string): Promise<{ readonly order: Order; readonly terms: ChargedBy | null }> {
  const query = { id, limit: 1, include: 'usage,pricing' };
  const { data } = await granted(settings.GET('/settings/api/orders', { params: { query } }));
  const [order] = data;
  if (!order) throw new Error('The account has no such order.');
  return { order, terms: await termsOf(order) };
}

async function termsOf({
  model,
  usd_per_million: prices,
  level_at_execution: level,
}: Order): Promise<ChargedBy | null> {
  if (prices) return { pricing: 'fixed', prices };
  if (level === null) return null;
  try {
    const { pricing_ratio: ratio } = await answered(api.GET('/v1/models/{model}', { params: { path: { model } } }));
    return { pricing: 'market', level, ratio };
  } catch {
    return null;
  }
}

function Facts({ order }: { readonly order: Order }) {
  const moments = { Sent: order.created_at, Started: order.admitted_at, Ended: order.finished_at };
  return (
    <dl class="figures">
      <dt>Status</dt>
      <dd>
        <OrderOutcome order={order} />
      </dd>
      <dt>Model</dt>
      <dd>{order.model}</dd>
      <dt>Endpoint</dt>
      <dd>{order.kind}</dd>
      {Object.entries(moments).map(([name, at]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} at`}>{at === null ? <Nothing /> : <Moment ms={Date.parse(at)} />}</dd>,
      ])}
      <dt>Bid</dt>
      <dd>{usdWhole(order.bid)}</dd>
      <dt>Level, the price charged</dt>
      <dd>{order.level_at_execution === null ? <Nothing /> : usdWhole(order.level_at_execution)}</dd>
    </dl>
  );
}

function Receipt({ order, terms }: { readonly order: Order; readonly terms: ChargedBy | null }) {
  const { usage } = order;
  return (
    <section class="panel" aria-label="Receipt">
      <h2>Receipt</h2>
      {usage ? (
        <Charge {...{ usage, terms }} />
      ) : (
        <p class="faint">
          {order.finished_at === null ? 'There is a receipt when the order is done.' : 'Nothing was charged.'}
        </p>
      )}
    </section>
  );
}

function Charge({ usage, terms }: { readonly usage: Usage; readonly terms: ChargedBy | null }) {
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
              {terms?.pricing === 'fixed' ? 'USD per 1M' : 'Weight'}
            </th>
          </tr>
        </thead>
        <tbody>
          {KINDS.map(([kind, name]) => (
            <tr key={kind}>
              <th scope="row">{name}</th>
              <td class="number">{countWhole(tokens[kind])}</td>
              <td class="number">{terms === null ? <Nothing /> : countWhole(partsOf(terms)[kind])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl class="figures">
        <dt>Charged</dt>
        <dd>{usdWhole(usage.charged_usd)}</dd>
      </dl>
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
  readonly usage: Usage;
  readonly terms: ChargedBy | null;
  readonly tokens: ByKind;
}

/** Whether the browser comes to the same amount. */
function Verdict({ usage, terms, tokens }: VerdictProps) {
  if (terms === null)
    return <p class="faint">The weights of the model are not known here any more, so this was not recomputed.</p>;
  const amount = recomputedNano(terms, tokens);
  const agrees = amount === nano(usage.charged_usd);
  return (
    <>
      <p class={`verdict ${agrees ? 'rise' : 'fall'}`}>
        Recomputed in this browser: {agrees ? 'agrees.' : `${usdWhole(dollars(amount))}, which differs.`}
      </p>
      <p class="faint small">
        {stepsOf(terms, tokens)}, rounded once to nine decimals.{' '}
        {terms.pricing === 'market' &&
          'Level × weighed tokens ÷ weighed reference mix: 0.9 cached, 0.1 not cached, 0.02 output. '}
        {!agrees && 'A refund makes a charge smaller, and a model whose weights have changed since makes it differ.'}
      </p>
    </>
  );
}
