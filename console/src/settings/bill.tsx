/**
 * The bill, explained: what was charged in any period, by key, model, tag or hour of the day, and what the bids would have
 * cost.
 */
import { keep, placeLink, present, useChoice, useText } from '../address.ts';
import { StackedBars } from '../charts/bars.tsx';
import { momentsOf, stackOf } from '../charts/stack.ts';
import { useSource } from '../data/polled.ts';
import { countWhole, hourOfDay, moneyText, savedShare } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Export } from '../parts/export.tsx';
import { Money, Stick } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { KeySelect } from './orders.tsx';
import { barQuery, barText, periodNow, type ShownPeriod } from './period.ts';
import { PeriodChoice } from './period-choice.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 30_000;
const COLUMNS = ['at', 'model', 'key_id', 'key_name', 'tags', 'status', 'orders', 'charged_usd', 'at_bid_usd'];
const GROUPS = ['key', 'model', 'tag', 'hour'] as const;
const NO_TAG = 'no tag';

type Sum = Schemas['OrderSum'];
type Group = (typeof GROUPS)[number];

/** The screen at `#/bill`. */
export function BillView() {
  const period = periodNow();
  const [group, choose] = useChoice<Group>('by', ['key', 'model', 'tag', 'hour']);
  const [model] = useText('model');
  const [key] = useText('key');
  const [tag] = useText('tag');
  const only = present({ model, key, tag });
  // The hour of the day is not in the sums of days.
  const step = group === 'hour' ? 'hour' : period.step;
  const query = { ...period.query, step, ...only };
  const load = () => granted(settings.GET('/settings/api/order-sums', { params: { query } }));
  const source = useSource(JSON.stringify(query), load, EVERY_MS);
  return (
    <>
      <div class="row filters">
        <PeriodChoice period={period} days />
        <KeySelect value={key} onChange={(of) => keep({ key: of })} />
        {Object.entries(present({ model, tag })).map(([name, text]) => (
          <button key={name} type="button" class="plain" onClick={() => keep({ [name]: '' })}>
            Not only {text}
          </button>
        ))}
        <Choice label="By" options={GROUPS.map((one) => [one, `By ${one}`])} value={group} onChoose={choose} />
      </div>
      <Shown source={source}>
        {({ data, truncated }) => (
          <Bill sums={data.filter(({ charged_usd }) => charged_usd > 0)} {...{ truncated, period, group, only }} />
        )}
      </Shown>
    </>
  );
}

interface BillProps {
  readonly sums: readonly Sum[];
  readonly truncated: boolean;
  readonly period: ShownPeriod;
  readonly group: Group;
  /** What the reader looks at alone, as an address has it. */
  readonly only: Readonly<Record<string, string>>;
}

function Bill({ sums, truncated, period, group, only }: BillProps) {
  if (sums.length === 0)
    return (
      <Empty>
        Nothing was charged in this time. Orders are summed here as soon as they end:{' '}
        <a href="/#/start">how to make the first</a>.
      </Empty>
    );
  const named = sums.flatMap((sum) => namesOf(sum, group).map((name) => ({ ...sum, name })));
  return (
    <>
      {truncated && (
        <p class="note">There are more orders than are summed: the oldest are left out. The statements have all.</p>
      )}
      <Totals sums={sums} />
      {group === 'tag' && <p class="note">An order with several tags is in the sum of each of them.</p>}
      <section class="panel" aria-label="Charged">
        <div class="head">
          <h2>Charged by {period.step}</h2>
          <Export of={{ name: 'bill', columns: COLUMNS, rows: () => sums.map(cellsOf) }} />
        </div>
        <StackedBars
          label={`Charged by ${period.step}, of each ${group}`}
          stack={stackOf(
            sums.map((sum) => ({
              atMs: beginOf(sum.at, period),
              // An order is in one bar only, whatever tags it has.
              name: namesOf(sum, group).join(', '),
              value: sum.charged_usd,
            })),
            momentsOf(period.fromMs, period.toMs, period.stepMs),
          )}
          format={moneyText}
          timeText={(atMs) => barText(period, atMs)}
          linkOf={(atMs) => placeLink('activity', '', { ...only, ...shownQuery(barQuery(period, atMs)) })}
        />
      </section>
      <Groups rows={grouped(named)} {...{ group, only, period }} />
    </>
  );
}

function shownQuery({ from, to }: { readonly from: string; readonly to: string }): { from: string; to: string } {
  return { from, to };
}

function beginOf(at: string, { stepMs }: ShownPeriod): number {
  return Date.parse(at) - (Date.parse(at) % stepMs);
}

function namesOf({ key_name, key_id, model, tags, at }: Sum, group: Group): readonly string[] {
  if (group === 'model') return [model];
  if (group === 'tag') return tags.length === 0 ? [NO_TAG] : tags;
  if (group === 'key') return [key_name ?? key_id ?? 'no key'];
  return [hourOfDay(Date.parse(at))];
}

function cellsOf(sum: Sum) {
  const { at, model, key_id, key_name, tags, status, orders, charged_usd, at_bid_usd } = sum;
  return [at, model, key_id, key_name, tags.join(' '), status, orders, charged_usd, at_bid_usd];
}

function Totals({ sums }: { readonly sums: readonly Sum[] }) {
  const [all = { orders: 0, charged: 0, atBid: 0 }] = grouped(sums.map((sum) => ({ ...sum, name: '' })));
  const saved = all.atBid - all.charged;
  return (
    <dl class="now">
      <div>
        <dt>Charged</dt>
        <dd class="big">
          <Money value={all.charged / 1e9} />
        </dd>
      </div>
      <div title="What the same orders would have cost at their bids, less what they did cost">
        <dt>Saved against the bids</dt>
        <dd class="big rise">
          <Money value={saved / 1e9} />
        </dd>
      </div>
      <div>
        <dt>Of the bids</dt>
        <dd>{savedShare(all.charged / 1e9, all.atBid / 1e9) || '0%'}</dd>
      </div>
      <div>
        <dt>Orders</dt>
        <dd>{countWhole(all.orders)}</dd>
      </div>
    </dl>
  );
}

interface GroupRow {
  readonly name: string;
  /** The first sum of it, which says what it is. */
  readonly of: Sum;
  readonly orders: number;
  /** In nano-dollars: sums of fractions have errors. */
  readonly charged: number;
  readonly atBid: number;
}

function grouped(sums: readonly (Sum & { readonly name: string })[]): GroupRow[] {
  const rows = new Map<string, GroupRow>();
  for (const sum of sums) {
    const { orders = 0, charged = 0, atBid = 0 } = rows.get(sum.name) ?? {};
    rows.set(sum.name, {
      name: sum.name,
      of: sum,
      orders: orders + sum.orders,
      charged: charged + Math.round(sum.charged_usd * 1e9),
      atBid: atBid + Math.round(sum.at_bid_usd * 1e9),
    });
  }
  return [...rows.values()];
}

interface GroupsProps {
  readonly rows: readonly GroupRow[];
  readonly group: Group;
  readonly only: Readonly<Record<string, string>>;
  readonly period: ShownPeriod;
}

function Groups({ rows, group, only, period }: GroupsProps) {
  const most = Math.max(...rows.map(({ charged }) => charged));
  const sorted =
    group === 'hour'
      ? rows.toSorted((one, other) => one.name.localeCompare(other.name))
      : rows.toSorted((one, other) => other.charged - one.charged);
  const where = period.name === null ? period.query : { period: period.name };
  const linkOf = (row: GroupRow) => ({ ...only, ...where, ...ofGroup(row, group) });
  return (
    <div class="later">
      <DataTable
        label={`By ${group}`}
        rows={sorted}
        keyOf={({ name }) => name}
        columns={[
          {
            head: HEADS[group],
            cell: (row) =>
              group === 'hour' ? row.name : <a href={placeLink('activity', '', linkOf(row))}>{row.name}</a>,
          },
          {
            head: 'Share',
            unheaded: true,
            cell: ({ charged }) => (
              <span class="share">
                <Stick share={charged / most} />
              </span>
            ),
          },
          { head: 'Orders', number: true, cell: ({ orders }) => countWhole(orders) },
          { head: 'Charged', number: true, cell: ({ charged }) => <Money exact value={charged / 1e9} /> },
          { head: 'At the bids', number: true, room: 'some', cell: ({ atBid }) => <Money value={atBid / 1e9} /> },
          {
            head: 'Saved',
            number: true,
            cell: ({ charged, atBid }) => <Money value={Math.max(0, atBid - charged) / 1e9} />,
          },
        ]}
      />
    </div>
  );
}

const HEADS = { key: 'Key', model: 'Model', tag: 'Tag', hour: 'Hour of the day' } as const;

/** What Activity is narrowed to, to show the orders of a row. It cannot show those without a key or a tag alone. */
function ofGroup({ name, of }: GroupRow, group: Group): Record<string, string> {
  if (group === 'tag') return name === NO_TAG ? {} : { tag: name };
  return present(group === 'key' ? { key: of.key_id ?? '' } : { model: of.model });
}
