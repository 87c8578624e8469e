/** Batches for tests: inputs as clients write them, and waiting for their end. */
import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import { upload } from './files.ts';
import type { BodyOf } from './reply.ts';
import type { TestServer } from './server.ts';

export type Batch = BodyOf<'createBatch', 200>;

/** A line of an output file, and of an error file. */
export interface BatchResultLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: { status_code: number; request_id: string; body: Record<string, unknown> } | null;
  readonly error: { code: string; message: string } | null;
}

export const CHAT = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Say hello.' }];

/** A valid line for an endpoint, changed by `change`. */
export function line(customId: string, body: object = {}, change: object = {}): string {
  return JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: CHAT,
    body: { model: 'tide', messages, max_tokens: 50, ...body },
    ...change,
  });
}

/** Makes a batch of these lines; its price limit is 5 unless `fields` has another. */
export async function batchOf(
  api: Client,
  lines: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Batch> {
  const { id } = await upload(api, lines.join('\n'));
  const body = { input_file_id: id, endpoint: CHAT, price_limit: 5, ...fields };
  return (await api.call('createBatch', { body })).body(200);
}

export async function batchNow(api: Client, id: string): Promise<Batch> {
  return (await api.call('getBatch', { params: { id } })).body(200);
}

/** Lets time pass until the batch satisfies `condition`. */
export async function batchWhen(
  server: TestServer,
  id: string,
  condition: (batch: Batch) => boolean,
  api = server.api,
): Promise<Batch> {
  // Hours of the gateway's time; a batch needs a second.
  for (let step = 0; step < 1000; step++) {
    const batch = await batchNow(api, id);
    if (condition(batch)) return batch;
    await server.pass(100);
  }
  assert.fail(`the batch ${id} never got that far`);
}

/** Lets time pass until the batch has ended. */
export function ended(server: TestServer, id: string, api = server.api): Promise<Batch> {
  return batchWhen(server, id, ({ status }) => !['validating', 'in_progress', 'cancelling'].includes(status), api);
}

/** The lines in the two files of an ended batch; their numbers must equal the counts. */
export async function entriesOf(
  api: Client,
  batch: Batch,
): Promise<{ output: BatchResultLine[]; errors: BatchResultLine[] }> {
  const read = async (id: string | null): Promise<BatchResultLine[]> => {
    if (id === null) return [];
    const text = (await api.call('getFileContent', { params: { id } })).text;
    assert.ok(text.endsWith('\n'), 'the last line is whole');
    return text
      .trimEnd()
      .split('\n')
      .map((entry) => JSON.parse(entry));
  };
  const [output, errors] = [await read(batch.output_file_id), await read(batch.error_file_id)];
  assert.deepEqual([output.length, errors.length], [batch.request_counts.completed, batch.request_counts.failed]);
  return { output, errors };
}
