/** The tables whose rows units look up, or write and delete again: what is read of them, and all their columns. */
import { batchColumns, fileColumns } from '../records/batch.ts';
import { idempotencyColumns, orderColumns } from '../records/order.ts';
import { Table } from './table.ts';

export const ORDERS = new Table('orders', ['id'], {
  reads: [
    ...[
      'id',
      'status',
      'attempt',
      'hold',
      'outlives',
      'error',
      'finished_at_ms',
      'account_id',
      'created_at_ms',
      'model',
    ],
    ...['kind', 'batch_id', 'price_limit', 'rested_seq', 'result_state', 'result_expires_at_ms'],
    ...['key_id', 'budget_from_ms'],
  ],
  inserts: orderColumns,
  once: ['price_cap'],
});

export const KEYS = new Table('idempotency_keys', ['account_id', 'endpoint', 'idempotency_key'], {
  reads: idempotencyColumns,
  inserts: idempotencyColumns,
});

const RESULT_COLUMNS = ['account_id', 'finished_at_ms', 'order_id', 'bytes', 'expires_at_ms'];
export const RESULTS = new Table('results', ['account_id', 'finished_at_ms', 'order_id'], {
  reads: RESULT_COLUMNS,
  inserts: RESULT_COLUMNS,
});

export const ANSWERS = new Table('stored_answers', ['order_id'], { reads: [], inserts: ['order_id', 'body'] });
export const BODIES = new Table('order_bodies', ['order_id'], { reads: [], inserts: ['order_id', 'body'] });

export const BATCHES = new Table('batches', ['id'], {
  reads: [
    ...['id', 'status', 'input_file_id', 'in_progress_at_ms', 'cancelling_at_ms', 'ended_at_ms'],
    ...['output_bytes', 'error_bytes'],
  ],
  inserts: batchColumns,
});

export const LINES = new Table('batch_lines', ['batch_id', 'line'], {
  reads: ['batch_id', 'line', 'order_id', 'error'],
  inserts: ['batch_id', 'line', 'custom_id', 'order_id', 'status', 'error', 'error_message'],
});

export const FILES = new Table('files', ['id'], {
  reads: ['id', 'account_id', 'bytes', 'content_gone'],
  inserts: fileColumns,
});

const LEVEL_COLUMNS = ['model', 'level_seq', 'level', 'at_ms'];
const CHAINED_LEVEL = [...LEVEL_COLUMNS, 'hash'];
export const LEVELS = new Table('levels', ['model', 'level_seq'], { reads: CHAINED_LEVEL, inserts: CHAINED_LEVEL });
export const MARKETS = new Table('markets', ['model'], { reads: ['model', 'level_seq'], inserts: LEVEL_COLUMNS });

const QUOTE_COLUMNS = ['model', 'quote_seq', 'price', 'at_ms', 'until_ms', 'hash'];
export const QUOTES = new Table('quotes', ['model', 'quote_seq'], { reads: QUOTE_COLUMNS, inserts: QUOTE_COLUMNS });
export const QUOTE_STATES = new Table('quote_states', ['model'], {
  reads: ['model', 'quote_seq'],
  inserts: ['model', 'quote_seq', 'price', 'state'],
});
