/** The batches of the account, with their progress. */
import { useState } from 'preact/hooks';
import { askAgain, useSource } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Export, type Exported } from '../parts/export.tsx';
import { Moment, Nothing, Price } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 4_000;
const LIMIT = 50;
const ACTIVE: readonly string[] = ['validating', 'in_progress'];

type Batch = Schemas['Batch'];

/** The screen at `#/batches`. */
export function BatchesView({ mayChange }: { readonly mayChange: boolean }) {
  const [pages, setPages] = useState<readonly string[]>([]);
  const after = pages.at(-1);
  const query = { limit: LIMIT, ...(after === undefined ? {} : { after }) };
  const source = useSource(
    `batches ${after}`,
    () => granted(settings.GET('/settings/api/batches', { params: { query } })),
    EVERY_MS,
  );
  const { value, failure } = source.asked.value;
  return (
    <>
      {value && (
        <p class="row">
          <Export of={exported(value.data)} />
        </p>
      )}
      {failure && <Failure sentence={failure} />}
      {value === null ? (
        !failure && <Loading />
      ) : (
        <BatchTable data={value.data} mayChange={mayChange} onChanged={() => askAgain(source)} />
      )}
      <p class="row">
        {pages.length > 0 && (
          <button type="button" class="button" onClick={() => setPages(pages.slice(0, -1))}>
            Newer
          </button>
        )}
        {value?.has_more && value.last_id !== null && (
          <button type="button" class="button" onClick={() => setPages([...pages, value.last_id ?? ''])}>
            Older
          </button>
        )}
      </p>
    </>
  );
}

interface TableProps {
  readonly data: readonly Batch[];
  readonly mayChange: boolean;
  readonly onChanged: () => Promise<void>;
}

function BatchTable({ data, mayChange, onChanged }: TableProps) {
  if (data.length === 0)
    return (
      <Empty>There is no batch. POST /v1/batches makes one of a file of requests, which wait for their price.</Empty>
    );
  return (
    <ScrolledTable label="Batches">
      <thead>
        <tr>
          <th scope="col">Batch</th>
          <th scope="col">Status</th>
          <th scope="col">Progress</th>
          <th scope="col" class="number wide">
            Failed
          </th>
          <th scope="col" class="number wide" title="USD per 1M input tokens at the reference mix">
            Bid
          </th>
          <th scope="col" class="wide">
            Deadline
          </th>
          {mayChange && (
            <th scope="col">
              <span class="hidden">What can be done</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data.map((batch) => (
          <tr key={batch.id}>
            <th scope="row">
              <Moment ms={batch.created_at * 1000} />
              <span class="id wide">{batch.id}</span>
            </th>
            <td>{batch.status}</td>
            <td>
              <Progress of={batch} />
            </td>
            <td class="number wide">{countWhole(batch.request_counts.failed)}</td>
            <td class="number wide">
              <Price value={batch.x_market.bid} />
            </td>
            <td class="wide">
              <Moment ms={batch.expires_at * 1000} />
            </td>
            {mayChange && (
              <td class="number">{ACTIVE.includes(batch.status) && <Cancel id={batch.id} onChanged={onChanged} />}</td>
            )}
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function Progress({ of: { request_counts: counts } }: { readonly of: Batch }) {
  const ended = counts.completed + counts.failed;
  if (counts.total === 0) return <Nothing />;
  return (
    <>
      {countWhole(ended)} of {countWhole(counts.total)}
      <progress max={counts.total} value={ended} aria-label="Lines that have ended" />
    </>
  );
}

function Cancel({ id, onChanged }: { readonly id: string; readonly onChanged: () => Promise<void> }) {
  const cancel = async () => {
    await granted(settings.POST('/settings/api/batches/{id}/cancel', { params: { path: { id } } }));
    await onChanged();
  };
  return (
    <Confirmed
      text="Cancel"
      label={`Cancel ${id}`}
      warning="What runs is finished and charged, the rest is not started."
      yes="Cancel it"
      no="Let it go on"
      act={cancel}
    />
  );
}

function exported(data: readonly Batch[]): Exported {
  return {
    name: 'batches',
    columns: [
      'id',
      'created_at',
      'status',
      'endpoint',
      'total',
      'completed',
      'failed',
      'bid',
      'expires_at',
      'metadata',
    ],
    rows: () =>
      data.map(({ id, created_at, status, endpoint, request_counts: counts, x_market, expires_at, metadata }) => [
        ...[id, iso(created_at), status, endpoint, counts.total, counts.completed, counts.failed, x_market.bid],
        ...[iso(expires_at), metadata ? JSON.stringify(metadata) : null],
      ]),
  };
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
