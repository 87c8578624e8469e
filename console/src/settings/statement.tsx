/** The statement of a month: one page that prints well, and the same as CSV. */
import { placeLink } from '../address.ts';
import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { countWhole, moneyWholeText } from '../format.ts';
import { Heading } from '../parts/heading.tsx';
import { Scrolled } from '../parts/scrolled.tsx';
import { Shown } from '../parts/shown.tsx';
import { save } from '../parts/source.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 60_000;
const MONTHS_LISTED = 24;

type Statement = Schemas['Statement'];

/** The months that can be chosen, the newest first, in UTC as statements are. */
function months(): string[] {
  const now = new Date(nowMs());
  return Array.from({ length: MONTHS_LISTED }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  );
}

/** The screen at `#/statement/2026-11`; without a month the present one. */
export function StatementView({ month }: { readonly month: string }) {
  const shown = /^\d{4}-\d{2}$/.test(month) ? month : (months()[0] ?? '');
  const load = () => granted(settings.GET('/settings/api/statements/{month}', { params: { path: { month: shown } } }));
  const source = useSource(shown, load, EVERY_MS);
  const { value } = source.asked.value;
  return (
    <>
      <Heading title={`Statement of ${shown}`}>
        <span class="choices unprinted">
          <select
            aria-label="Month"
            value={shown}
            onChange={({ currentTarget }) => {
              location.hash = placeLink('statement', currentTarget.value);
            }}
          >
            {months().map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {value && (
            <button
              type="button"
              class="plain"
              onClick={() => save({ name: `statement-${shown}`, rows: () => sheetOf(value) })}
            >
              CSV
            </button>
          )}
          <button type="button" class="plain" onClick={() => print()}>
            Print
          </button>
          <a href="#/billing">Billing</a>
        </span>
      </Heading>
      <Shown source={source}>{(statement) => <Body of={statement} />}</Shown>
    </>
  );
}

function Body({ of }: { readonly of: Statement }) {
  const { sums } = of;
  return (
    <div class="document">
      <div class="letter">
        {of.issuer !== null && <address>{of.issuer}</address>}
        <dl class="figures">
          <dt>Statement</dt>
          <dd>{of.number}</dd>
          <dt>Period, UTC</dt>
          <dd>
            {of.from} to {of.to}
            {!of.complete && ', not over yet'}
          </dd>
          <dt>Account</dt>
          <dd>
            {of.name}
            <span class="id">{of.account_id}</span>
          </dd>
        </dl>
      </div>
      <Scrolled label="Sums">
        <table>
          <tbody>
            <Line text="Balance when the month began" usd={of.opening_usd} />
            <Line text="Top-ups" usd={sums.top_up_usd} />
            <Line text="Charges" usd={sums.charge_usd} />
            <Line text="Refunds" usd={sums.refund_usd} />
            <Line text="Taken back by refunds and disputes of payments" usd={sums.reversal_usd} />
            <Line text={of.complete ? 'Balance when it ended' : 'Balance now'} usd={of.closing_usd} strong />
          </tbody>
        </table>
      </Scrolled>
      {of.tax !== null && <p>{of.tax}</p>}
      {of.by_model.length > 0 && <ByModel rows={of.by_model} />}
      {of.entries.length > 0 && <Others of={of} />}
    </div>
  );
}

function Line({ text, usd, strong }: { readonly text: string; readonly usd: number; readonly strong?: boolean }) {
  return (
    <tr class={strong ? 'total' : ''}>
      <th scope="row">{text}</th>
      <td class="number">{moneyWholeText(usd)}</td>
    </tr>
  );
}

function ByModel({ rows }: { readonly rows: Statement['by_model'] }) {
  return (
    <>
      <h2>Charges by model</h2>
      <DataTable
        label="Charges by model"
        rows={rows.toSorted((one, other) => one.amount_usd - other.amount_usd)}
        keyOf={({ model }) => model}
        columns={[
          { head: 'Model', cell: ({ model }) => model },
          { head: 'Requests', number: true, cell: ({ requests }) => countWhole(requests) },
          { head: 'Amount', number: true, cell: ({ amount_usd }) => moneyWholeText(amount_usd) },
        ]}
      />
    </>
  );
}

function Others({ of: { entries, entries_left_out: left } }: { readonly of: Statement }) {
  return (
    <>
      <h2>Top-ups, refunds and what was taken back</h2>
      <DataTable
        label="Other entries"
        rows={entries}
        keyOf={({ entry_id }) => entry_id}
        columns={[
          { head: 'Day', cell: ({ created_at }) => created_at.slice(0, 10) },
          {
            head: 'Entry',
            cell: ({ kind, reason }) => (
              <>
                {kind.replace('_', '-')} <span class="faint">{reason}</span>
              </>
            ),
          },
          { head: 'Amount', number: true, cell: ({ amount_usd }) => moneyWholeText(amount_usd) },
        ]}
      />
      {left > 0 && <p class="faint">{left} more are in the sums; the ledger lists them.</p>}
    </>
  );
}

/** Every row that makes the closing balance of the opening one, and both. */
function sheetOf({ month, opening_usd, closing_usd, charges, entries }: Statement) {
  const head = ['date', 'entry', 'model', 'requests', 'reason', 'amount_usd'];
  return [
    head,
    [`${month}-01`, 'opening balance', null, null, null, opening_usd],
    ...charges.map(({ date, model, requests, amount_usd }) => [
      ...[date, 'charges', model, requests, null],
      amount_usd,
    ]),
    ...entries.map(({ created_at, kind, reason, amount_usd }) => [
      ...[created_at.slice(0, 10), kind.replace('_', '-'), null, null, reason],
      amount_usd,
    ]),
    [null, 'closing balance', null, null, null, closing_usd],
  ];
}
