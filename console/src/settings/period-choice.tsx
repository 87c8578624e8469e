/** Where a reader chooses the period: by name, or with both days. */
import { keep } from '../address.ts';
import { choosePeriod, PERIODS, periodText, type ShownPeriod } from './period.ts';

/** A list of periods; one with both ends is beside it, and can be left. */
export function PeriodChoice({ period, days = false }: { readonly period: ShownPeriod; readonly days?: boolean }) {
  const { name } = period;
  return (
    <>
      <select
        aria-label="Period"
        value={name ?? ''}
        onChange={({ currentTarget }) => choosePeriod(currentTarget.value)}
      >
        {name === null && <option value="">chosen</option>}
        {Object.keys(PERIODS).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {days && <Days period={period} />}
      {name === null && (
        <button type="button" class="plain" onClick={() => choosePeriod('7 days')}>
          Not only {periodText(period)}
        </button>
      )}
    </>
  );
}

function Days({ period: { fromMs, toMs } }: { readonly period: ShownPeriod }) {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const choose = (from: string, to: string) => {
    if (from !== '' && to !== '') keep({ from, to, period: '', page: '' });
  };
  return (
    <>
      <label>
        from{' '}
        <input
          type="date"
          value={day(fromMs)}
          onChange={({ currentTarget }) => choose(currentTarget.value, day(toMs))}
        />
      </label>
      <label>
        to{' '}
        <input
          type="date"
          value={day(toMs)}
          onChange={({ currentTarget }) => choose(day(fromMs), currentTarget.value)}
        />
      </label>
    </>
  );
}
