/** Money moved by hand: credited, given back, or taken back. What was sent twice is moved once. */
import { useState } from 'preact/hooks';
import { moneyWholeText } from '../format.ts';
import { Form, useAct } from '../parts/act.tsx';
import { say } from '../parts/toast.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

interface TransferFormProps {
  readonly account: Schemas['SoldTo'];
  readonly kind: keyof typeof WORDS;
  readonly onMoved: () => Promise<void>;
}

const WORDS = {
  credit: { title: 'Credit', button: 'Credit', done: 'credited' },
  refund: { title: 'Refund', button: 'Give back', done: 'given back' },
  debit: { title: 'Debit', button: 'Take back', done: 'taken back' },
} as const;
const TOP_UP_MIN_USD = 10;
const TOP_UP_MAX_USD = 10_000;

/** A form for one kind of transfer. */
export function TransferForm({ account: { account_id: id }, kind, onMoved }: TransferFormProps) {
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [order, setOrder] = useState('');
  /** One for what is meant to be moved: it stays the same until that has happened. */
  const [key, setKey] = useState(newKey);
  const unusual = kind === 'credit' && (Number(amount) < TOP_UP_MIN_USD || Number(amount) > TOP_UP_MAX_USD);
  const words = WORDS[kind];
  const needsReason = kind === 'debit' || (kind === 'refund' && order.trim() === '');
  const move = useAct(async () => {
    const about = { amount_usd: amount.trim(), idempotency_key: key, ...(reason === '' ? {} : { reason }) };
    const params = { path: { id } };
    const sent = {
      credit: () => {
        const body = { ...about, ...(unusual ? { force: true } : {}) };
        return settings.POST('/console/api/accounts/{id}/credit', { params, body });
      },
      refund: () => {
        const body = { ...about, ...(order.trim() === '' ? {} : { order_id: order.trim() }) };
        return settings.POST('/console/api/accounts/{id}/refund', { params, body });
      },
      debit: () => settings.POST('/console/api/accounts/{id}/debit', { params, body: { ...about, reason } }),
    };
    const moved = await granted(sent[kind]());
    say(`${moneyWholeText(moved.amount_usd)} ${words.done}; the balance is ${moneyWholeText(moved.balance_usd)}.`);
    setAmount('');
    setReason('');
    setOrder('');
    setKey(newKey());
    // It may be used for the next one meanwhile.
    void onMoved();
  });
  return (
    <section class="panel" aria-label={words.title}>
      <h2>{words.title}</h2>
      <Form act={move}>
        <label>
          USD{' '}
          <input
            class="amount"
            required
            inputMode="decimal"
            pattern="\d+(\.\d{1,9})?"
            title="Such as 25 or 12.50"
            value={amount}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        {kind === 'refund' && (
          <label>
            Of the order <span class="faint">(optional)</span>{' '}
            <input maxLength={64} value={order} onInput={({ currentTarget }) => setOrder(currentTarget.value)} />
          </label>
        )}
        <label>
          Reason <span class="faint">(kept)</span>{' '}
          <input
            maxLength={1000}
            required={needsReason}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {words.button}
        </button>
      </Form>
      {unusual && amount !== '' && <p class="faint small">Top-ups are usually $10 to $10,000.</p>}
    </section>
  );
}

function newKey(): string {
  // randomUUID is there on secure origins only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
