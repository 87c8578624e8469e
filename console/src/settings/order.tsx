/** One order: its life, its receipt and what it sent; as a screen, and in the sheet beside the list. */
import { placeLink } from '../address.ts';
import { useSource } from '../data/polled.ts';
import { moneyWholeText, priceWholeText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Nothing } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderOutcome } from './order-table.tsx';
import { Payload } from './payload.tsx';
import { ReceiptCard } from './receipt-card.tsx';
import { granted, type Schemas, settings } from './session.ts';
import { ShareReceipt } from './share-receipt.tsx';
import { Waterfall } from './waterfall.tsx';

const EVERY_MS = 3_000;
/** A receipt stays as it was issued. */
const RECEIPT_EVERY_MS = 3_600_000;

type Details = Schemas['OrderDetails'];

interface OrderProps {
  readonly id: string;
  readonly mayChange: boolean;
}

/** The screen at `#/order/…`. */
export function OrderView({ id, mayChange }: OrderProps) {
  return (
    <>
      <p class="small unprinted">
        <a href="#/activity">All orders</a>
      </p>
      <Heading title="Order" />
      <p class="path unprinted">{id}</p>
      <Order id={id} mayChange={mayChange} />
    </>
  );
}

/** The same beside the list. */
export function OrderSheet({ id, mayChange, onClose }: OrderProps & { readonly onClose: () => void }) {
  return (
    <Dialog label="Order" look="sheet" onClose={onClose}>
      <form method="dialog" class="head">
        <h2>Order</h2>
        <button type="submit" class="button">
          Close
        </button>
      </form>
      <p class="small">
        <a class="path" href={placeLink('order', id)}>
          {id}
        </a>
      </p>
      <Order id={id} mayChange={mayChange} />
    </Dialog>
  );
}

/** What was charged comes first, once there is something. */
function Order({ id, mayChange }: OrderProps) {
  const load = () => granted(settings.GET('/settings/api/orders/{id}', { params: { path: { id } } }));
  const source = useSource(id, load, EVERY_MS);
  return (
    <Shown source={source}>
      {(value) => {
        const life = (
          <div key="life" class="stack unprinted">
            <section class="panel" aria-label="Life">
              {mayChange && value.order.status === 'queued' && (
                <OrderActions order={value.order} onChanged={source.again} heavy />
              )}
              <Waterfall steps={value.timeline} isOver={value.order.finished_at !== null} />
              <Facts of={value} />
            </section>
            {mayChange && <Payload order={value.order} />}
          </div>
        );
        const money = (
          <div key="money" class="stack">
            <Receipt of={value} />
            {mayChange && value.settlement && (
              <ShareReceipt id={value.order.id} token={value.receipt_token} onChanged={source.again} />
            )}
          </div>
        );
        return <div class="grid order">{value.settlement ? [money, life] : [life, money]}</div>;
      }}
    </Shown>
  );
}

function Facts({ of: { order, run, price_limit, attempts, error_message } }: { readonly of: Details }) {
  const isFixed = order.pricing === 'fixed';
  const facts: [name: string, value: ReturnType<typeof Nothing> | string | null][] = [
    ['Status', <OrderOutcome key="status" order={order} />],
    ['Why', error_message],
    ['Model', order.model],
    ['Endpoint', order.kind],
    ['Key', run.key_name ?? run.key_id],
    ['Tags', order.tags?.join(', ') ?? null],
    ['Line of a batch', order.custom_id ?? null],
    ['Limit', price_limit === null ? null : priceWholeText(price_limit)],
    [isFixed ? 'Fixed price' : 'Bid', priceWholeText(order.bid)],
    [
      'Price, the lower of bid and level at the start',
      isFixed || order.level_at_execution === null ? null : priceWholeText(order.level_at_execution),
    ],
    ['Times started', attempts > 1 ? String(attempts) : null],
  ];
  return (
    <dl class="figures">
      {facts.map(
        ([name, value]) => value !== null && [<dt key={name}>{name}</dt>, <dd key={`${name} is`}>{value}</dd>],
      )}
    </dl>
  );
}

function Receipt({ of: { order, settlement } }: { readonly of: Details }) {
  if (settlement) return <Signed id={order.id} refunded={settlement.refunded_usd} />;
  return (
    <section class="panel" aria-label="Receipt">
      <p class="faint">
        {order.finished_at === null ? 'There is a receipt when the order is done.' : 'Nothing was charged.'}
      </p>
    </section>
  );
}

function Signed({ id, refunded }: { readonly id: string; readonly refunded: number }) {
  const load = () => granted(settings.GET('/settings/api/orders/{id}/receipt', { params: { path: { id } } }));
  const source = useSource(`receipt ${id}`, load, RECEIPT_EVERY_MS);
  return (
    <Shown source={source}>
      {(signed) => (
        <ReceiptCard signed={signed}>
          {refunded > 0 && (
            <dl class="figures">
              <dt>Given back later</dt>
              <dd>{moneyWholeText(refunded)}</dd>
            </dl>
          )}
        </ReceiptCard>
      )}
    </Shown>
  );
}
