/** What can be done with an order that waits: another price, or its end. */
import { useState } from 'preact/hooks';
import { Form, Unfold, useAct } from '../parts/act.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, settings } from './session.ts';

interface ActionsProps {
  readonly order: Schemas['Order'];
  readonly onChanged: () => Promise<void>;
}

/** Both, as links in the row of the order or, `heavy`, as buttons. A locked price and a fixed one stay. */
export function OrderActions({ order, onChanged, heavy = false }: ActionsProps & { readonly heavy?: boolean }) {
  const { id } = order;
  const cancel = async () => {
    await granted(settings.POST('/settings/api/orders/{id}/cancel', { params: { path: { id } } }));
    await onChanged();
  };
  return (
    <span class="actions">
      {order.pricing !== 'fixed' && order.price_lock !== true && (
        <Unfold text="Reprice" label={`Reprice ${id}`} look={heavy ? 'button' : 'plain'}>
          {(close) => <Reprice order={order} onChanged={onChanged} close={close} />}
        </Unfold>
      )}
      <Confirmed
        text={heavy ? 'Cancel the order' : 'Cancel'}
        label={`${heavy ? 'Cancel the order' : 'Cancel'} ${id}`}
        heavy={heavy}
        warning="It ends without an answer and costs nothing."
        yes="Cancel it"
        no="Let it wait"
        act={cancel}
      />
    </span>
  );
}

function Reprice({ order: { id, bid }, onChanged, close }: ActionsProps & { readonly close: () => void }) {
  const [price, setPrice] = useState(String(bid));
  const save = useAct(async () => {
    const body = { ids: [id], price_limit: Number(price) };
    const { data } = await granted(settings.POST('/settings/api/orders/price', { body }));
    const refused = data.find(({ changed }) => !changed);
    if (refused) throw new Error(refused.reason ?? 'It was not changed.');
    close();
    await onChanged();
  });
  return (
    <Form act={save} class="inline">
      <input
        class="amount"
        type="number"
        min="0"
        step="any"
        required
        aria-label="New limit, USD per 1M input tokens at the reference mix"
        value={price}
        onInput={({ currentTarget }) => setPrice(currentTarget.value)}
      />{' '}
      <button type="submit" class="button">
        Set
      </button>{' '}
      <button type="button" class="plain" onClick={close}>
        Leave it
      </button>
    </Form>
  );
}
