/** A new alert, as a form. The address may name a market and a bound: the page of a model leads here. */
import { useState } from 'preact/hooks';
import { place } from '../address.ts';
import { board } from '../data/board.ts';
import { RowForm } from './row-form.tsx';
import type { Schemas } from './session.ts';

type Subject = Schemas['NewAlertRule']['subject'];

const SUBJECTS: Readonly<Record<Subject, string>> = {
  price: 'Price of a model',
  balance: 'Balance',
  budget: 'Budget of a key',
  errors: 'Orders that fail',
};
const PERCENT = 100;

/** What may be chosen. */
interface RuleFormProps {
  readonly targets: readonly Schemas['AlertTarget'][];
  /** Those with a budget. */
  readonly keys: readonly Schemas['ListedKey'][];
  /** When it rejects, the form says why and keeps what was typed. */
  readonly onSubmit: (rule: Schemas['NewAlertRule']) => Promise<unknown>;
}

/** The form. */
export function RuleForm({ targets, keys, onSubmit }: RuleFormProps) {
  const asked = place.peek().query;
  const [subject, setSubject] = useState<Subject>('price');
  const [model, setModel] = useState(asked.get('model') ?? '');
  const [direction, setDirection] = useState<'above' | 'below'>('below');
  const [keyId, setKeyId] = useState('');
  const [bound, setBound] = useState(asked.get('bound') ?? '');
  const [targetId, setTargetId] = useState('');
  const markets: readonly string[] =
    board.asked.value.value?.filter(({ level }) => level !== null).map((row) => row.model) ?? [];
  const isShare = subject === 'budget' || subject === 'errors';
  const market = model || (markets[0] ?? '');
  const key = keyId || (keys[0]?.key_id ?? '');
  const target = targetId || (targets[0]?.target_id ?? '');
  const create = async () => {
    const number = Number(bound);
    await onSubmit({
      subject,
      bound: isShare ? number / PERCENT : number,
      target_id: target,
      ...(subject === 'price' ? { model: market, direction } : {}),
      ...(subject === 'budget' ? { key_id: key } : {}),
    });
    setBound('');
  };
  return (
    <RowForm label="Add the alert" look="primary" act={create} disabled={target === ''}>
      <Choice
        label="Watch"
        value={subject}
        options={Object.entries(SUBJECTS)}
        choose={(to) => setSubject(to as Subject)}
      />
      {subject === 'price' && (
        <>
          <Choice label="Model" value={market} options={markets.map((name) => [name, name])} choose={setModel} />
          <Choice
            label="Is"
            value={direction}
            options={[
              ['below', 'at or below'],
              ['above', 'above'],
            ]}
            choose={(to) => setDirection(to as typeof direction)}
          />
        </>
      )}
      {subject === 'budget' && (
        <Choice label="Key" value={key} options={keys.map(({ key_id, name }) => [key_id, name])} choose={setKeyId} />
      )}
      <label>
        {isShare ? 'At least, %' : subject === 'balance' ? 'Below, USD' : 'USD per 1M input tokens'}{' '}
        <input
          type="number"
          required
          min={isShare ? 1 : 0.000001}
          max={isShare ? PERCENT : 1_000_000}
          step="any"
          value={bound}
          onInput={({ currentTarget }) => setBound(currentTarget.value)}
        />
      </label>
      <Choice
        label="Send to"
        value={target}
        options={targets.map(({ target_id, address }) => [target_id, address])}
        choose={setTargetId}
      />
    </RowForm>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
