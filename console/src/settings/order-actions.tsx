/** What can be done with an order that waits: another price, or its end. */
import { useState } from 'preact/hooks';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, sentenceOf, settings } from './session.ts';

interface ActionsProps {
  readonly order: Schemas['Order'];
  readonly onChanged: () => Promise<void>;
}

/** Both, in the row of the order. A locked price and a fixed one stay. */
export function OrderActions({ order, onChanged }: ActionsProps) {
  const { id } = order;
  const cancel = async () => {
    await granted(settings.POST('/settings/api/orders/{id}/cancel', { params: { path: { id } } }));
    await onChanged();
  };
  return (
    <span class="actions">
      {order.pricing !== 'fixed' && order.price_lock !== true && <Reprice order={order} onChanged={onChanged} />}
      <Confirmed
        text="Cancel"
        label={`Cancel ${id}`}
        warning="It ends without an answer and costs nothing."
        yes="Cancel it"
        no="Let it wait"
        act={cancel}
      />
    </span>
  );
}

function Reprice({ order: { id, bid }, onChanged }: ActionsProps) {
  const [price, setPrice] = useState<string | null>(null);
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setFailure('');
    try {
      const body = { ids: [id], price_limit: Number(price) };
      const { data } = await granted(settings.POST('/settings/api/orders/price', { body }));
      const refused = data.find(({ changed }) => !changed);
      if (refused) throw new Error(refused.reason ?? 'It was not changed.');
      setPrice(null);
      await onChanged();
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  if (price === null)
    return (
      <button type="button" class="plain" aria-label={`Reprice ${id}`} onClick={() => setPrice(String(bid))}>
        Reprice
      </button>
    );
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        class="amount"
        type="number"
        min="0"
        step="any"
        required
        aria-label="New limit, USD per 1M input tokens at the reference mix"
        value={price}
        // biome-ignore lint/a11y/noAutofocus: it appears where the reader just pressed.
        autoFocus
        onInput={({ currentTarget }) => setPrice(currentTarget.value)}
      />{' '}
      <button type="submit" class="button" disabled={busy}>
        Set
      </button>{' '}
      <button type="button" class="plain" onClick={() => setPrice(null)}>
        Leave it
      </button>
      {failure && (
        <span class="fall" role="alert">
          {failure}
        </span>
      )}
    </form>
  );
}
