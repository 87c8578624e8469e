/** The batches of the account, with their progress. */

import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { countWhole, duration } from '../format.ts';
import { Export, type Exported } from '../parts/export.tsx';
import { Moment, Nothing, UnitPrice } from '../parts/figures.tsx';
import { PageButtons, usePages } from '../parts/pages.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { BatchUpload } from './batch-upload.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 4_000;
const LIMIT = 50;
const ACTIVE: readonly string[] = ['validating', 'in_progress'];

type Batch = Schemas['Batch'];

/** The screen at `#/batches`. */
export function BatchesView({ mayChange }: { readonly mayChange: boolean }) {
  const pages = usePages();
  const { cursor: after } = pages;
  const query = { limit: LIMIT, ...(after === undefined ? {} : { after }) };
  const load = () => granted(settings.GET('/settings/api/batches', { params: { query } }));
  const source = useSource(`batches ${after}`, load, EVERY_MS);
  const { value } = source.asked.value;
  return (
    <>
      {mayChange && <BatchUpload onCreated={source.again} />}
      {value && value.data.length > 0 && (
        <p class="row">
          <Export of={exported(value.data)} />
        </p>
      )}
      <Shown source={source}>
        {({ data }) => <BatchTable data={data} mayChange={mayChange} onChanged={source.again} />}
      </Shown>
      <PageButtons pages={pages} next={value?.has_more ? value.last_id : null} />
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
      <Empty>
        There is no batch. Each is made of a file of requests, which wait for their price:{' '}
        <a href="/docs/buy/batches">how to write one</a>.
      </Empty>
    );
  return (
    <DataTable
      label="Batches"
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Batch',
          cell: ({ id, created_at }) => [<Moment ms={created_at * 1000} />, <span class="id">{id}</span>],
        },
        { head: 'Status', cell: ({ status }) => status.replaceAll('_', ' ') },
        { head: 'Progress', cell: (batch) => <Progress of={batch} /> },
        mayChange && { head: 'Files', cell: (batch) => <Files of={batch} /> },
        { head: 'Failed', number: true, room: 'some', cell: ({ request_counts: { failed } }) => countWhole(failed) },
        {
          ...{ head: 'Bid', number: true, room: 'some', title: 'USD per 1M input tokens at the reference mix' },
          cell: ({ x_market }) => <UnitPrice value={x_market.bid} />,
        },
        { head: 'Ends at the latest', room: 'much', cell: ({ expires_at }) => <Moment ms={expires_at * 1000} /> },
        mayChange && {
          ...{ head: 'What can be done', unheaded: true, number: true },
          cell: ({ id, status }) => ACTIVE.includes(status) && <Cancel id={id} onChanged={onChanged} />,
        },
      ]}
    />
  );
}

function Progress({ of: batch }: { readonly of: Batch }) {
  const { request_counts: counts } = batch;
  const left = leftMs(batch);
  const ended = counts.completed + counts.failed;
  if (counts.total === 0) return <Nothing />;
  return (
    <>
      {countWhole(ended)} of {countWhole(counts.total)}
      <progress max={counts.total} value={ended} aria-label="Lines that have ended" />
      {left !== null && <span class="id">about {duration(left)} left</span>}
    </>
  );
}

/** How long the rest takes at the pace of its lines so far; null while that says nothing. */
function leftMs({ status, request_counts: counts, in_progress_at }: Batch): number | null {
  const ended = counts.completed + counts.failed;
  if (status !== 'in_progress' || in_progress_at === null || ended === 0) return null;
  return ((nowMs() - in_progress_at * 1000) / ended) * (counts.total - ended);
}

/** The browser saves them by itself: they may be large. */
function Files({ of: { output_file_id: output, error_file_id: errors } }: { readonly of: Batch }) {
  const named = [
    ['Output', output],
    ['Errors', errors],
  ] as const;
  if (output === null && errors === null) return <Nothing />;
  return (
    <>
      {named.map(
        ([name, id]) =>
          id !== null && (
            <a key={name} class="name" href={`/settings/api/files/${id}/content`} download>
              {name}
            </a>
          ),
      )}
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
