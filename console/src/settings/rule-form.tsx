/** A new alert, as a form. The address may name a market and a bound: the page of a model leads here. */
import { useState } from 'preact/hooks';
import { place } from '../address.ts';
import { board } from '../data/board.ts';
import { RowForm } from './row-form.tsx';
import type { Schemas } from './session.ts';

type Subject = Schemas['NewAlertRule']['subject'];

/** What is watched, and what its bound is, with the unit. */
const SUBJECTS: Readonly<Record<Subject, { readonly name: string; readonly bound: string }>> = {
  price: { name: 'Price of a model', bound: 'Level, USD per 1M at the reference mix' },
  balance: { name: 'Balance', bound: 'Balance below, USD' },
  budget: { name: 'Budget of a key', bound: 'Spent of the budget, at least, %' },
  errors: { name: 'Orders that fail', bound: 'Of orders of 15 minutes, at least, %' },
};
const SUBJECT_NAMES = Object.keys(SUBJECTS) as Subject[];
const PERCENT = 100;
const isShare = (subject: Subject) => subject === 'budget' || subject === 'errors';

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
  const [chosen, setChosen] = useState<Subject>('price');
  const [model, setModel] = useState(asked.get('model') ?? '');
  const [direction, setDirection] = useState<'above' | 'below'>('below');
  const [keyId, setKeyId] = useState('');
  const [bound, setBound] = useState(asked.get('bound') ?? '');
  const [targetId, setTargetId] = useState('');
  const sold = board.asked.value.value;
  const markets: readonly string[] = sold?.filter(({ level }) => level !== null).map((row) => row.model) ?? [];
  const able = SUBJECT_NAMES.filter(
    (name) => (name !== 'price' || !sold || markets.length > 0) && (name !== 'budget' || keys.length > 0),
  );
  const subject = able.includes(chosen) ? chosen : 'balance';
  const market = model || (markets[0] ?? '');
  const key = keyId || (keys[0]?.key_id ?? '');
  const target = targetId || (targets[0]?.target_id ?? '');
  const create = async () => {
    const number = Number(bound);
    await onSubmit({
      subject,
      bound: isShare(subject) ? number / PERCENT : number,
      target_id: target,
      ...(subject === 'price' ? { model: market, direction } : {}),
      ...(subject === 'budget' ? { key_id: key } : {}),
    });
    setBound('');
  };
  return (
    <RowForm
      label="Add the alert"
      look="primary"
      act={create}
      disabled={target === ''}
      hint={keys.length === 0 ? 'Give a key a budget to watch how much of it is spent.' : ''}
    >
      <Choice
        label="Watch"
        value={subject}
        options={able.map((name) => [name, SUBJECTS[name].name])}
        choose={(to) => setChosen(to as Subject)}
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
      <Bound subject={subject} value={bound} set={setBound} />
      <Choice
        label="Send to"
        value={target}
        options={targets.map(({ target_id, address }) => [target_id, address])}
        choose={setTargetId}
      />
    </RowForm>
  );
}

interface BoundProps {
  readonly subject: Subject;
  readonly value: string;
  readonly set: (value: string) => void;
}

function Bound({ subject, value, set }: BoundProps) {
  return (
    <label>
      {SUBJECTS[subject].bound}{' '}
      <input
        type="number"
        required
        min={isShare(subject) ? 1 : 0.000001}
        max={isShare(subject) ? PERCENT : 1_000_000}
        step="any"
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
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
