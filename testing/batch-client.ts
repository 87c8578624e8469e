/** Batches over HTTP against a gateway in another process, for the benchmark and the kill test: plain `fetch`, no client. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** The fields of a batch that these runs read. */
export interface BatchAnswer {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly errors: { readonly data: readonly { readonly message: string }[] } | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly x_market: { readonly active: number; readonly pending_result: number };
}

/** A line of an output or an error file. */
export interface BatchEntry {
  readonly custom_id: string;
  readonly response: { readonly body: { readonly usage: { readonly x_market: Charge } } } | null;
  readonly error: { readonly code: string } | null;
}

interface Charge {
  readonly order_id: string;
  readonly charged_usd: number;
}

const ACTIVE = new Set(['validating', 'in_progress', 'cancelling']);

/** Whether the batch still has work to do. */
export function isActive({ status }: BatchAnswer): boolean {
  return ACTIVE.has(status);
}

/** A client of one account, for a gateway that may restart at another address. */
export class BatchClient {
  url: string;
  readonly #apiKey: string;

  constructor(url: string, apiKey: string) {
    this.url = url;
    this.#apiKey = apiKey;
  }

  /** Stores an input file and returns its id. */
  async upload(lines: readonly string[]): Promise<string> {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.join('\n')]), 'input.jsonl');
    return ((await this.#ask('/v1/files', { method: 'POST', body: form })) as { id: string }).id;
  }

  /** Makes a batch of chat requests with a price limit of 5. */
  async create(inputFileId: string): Promise<BatchAnswer> {
    const body = { input_file_id: inputFileId, endpoint: '/v1/chat/completions', price_limit: 5 };
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#ask('/v1/batches', { method: 'POST', body: JSON.stringify(body), headers });
    return answer as BatchAnswer;
  }

  async get(id: string): Promise<BatchAnswer> {
    return (await this.#ask(`/v1/batches/${id}`)) as BatchAnswer;
  }

  /** Polls until the batch has ended; calls `seen` with each answer. */
  async ended(id: string, seen: (batch: BatchAnswer) => void = () => {}): Promise<BatchAnswer> {
    for (;;) {
      const batch = await this.get(id);
      seen(batch);
      if (!isActive(batch)) return batch;
      await sleep(100);
    }
  }

  /** The lines of a file; empty when there is no file. */
  async entries(fileId: string | null): Promise<BatchEntry[]> {
    if (fileId === null) return [];
    const response = await this.#fetch(`/v1/files/${fileId}/content`);
    const text = await response.text();
    assert.ok(text.endsWith('\n'), `${fileId} ends in the middle of a line`);
    return text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  async #ask(path: string, init: RequestInit = {}): Promise<unknown> {
    return (await this.#fetch(path, init)).json();
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.#apiKey}` };
    const response = await fetch(this.url + path, { ...init, headers });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }
}

/** What is wrong with a batch whose lines should have these custom ids and all be answered; one sentence each. */
export async function faultsOf(
  client: BatchClient,
  batch: BatchAnswer,
  customIds: readonly string[],
): Promise<string[]> {
  const output = await client.entries(batch.output_file_id);
  const errors = await client.entries(batch.error_file_id);
  const faults: string[] = [];
  if (batch.status !== 'completed') faults.push(`the batch is ${batch.status}, ${JSON.stringify(batch.errors)}`);
  faults.push(...lineFaults({ batch, output, errors, customIds }));
  for (const { custom_id, error } of errors.slice(0, 3)) faults.push(`line ${custom_id} failed: ${error?.code}`);
  return faults;
}

/** A batch that has ended, its two files, and the lines that were sent. */
export interface EndedBatch {
  readonly batch: BatchAnswer;
  readonly output: readonly BatchEntry[];
  readonly errors: readonly BatchEntry[];
  readonly customIds: readonly string[];
}

/** What is wrong with the files: each line must be in one of them, once, and the counts must be theirs. */
export function lineFaults({ batch, output, errors, customIds }: EndedBatch): string[] {
  const faults: string[] = [];
  const { total, completed, failed } = batch.request_counts;
  if (total !== customIds.length) faults.push(`the batch counts ${total} lines instead of ${customIds.length}`);
  if (output.length !== completed || errors.length !== failed)
    faults.push(
      `the files have ${output.length} and ${errors.length} lines, the counts say ${completed} and ${failed}`,
    );
  const found = new Map<string, number>();
  for (const { custom_id } of [...output, ...errors]) found.set(custom_id, (found.get(custom_id) ?? 0) + 1);
  const missing = customIds.filter((id) => !found.has(id));
  const doubled = [...found].filter(([, times]) => times > 1);
  if (missing.length > 0) faults.push(`${missing.length} lines are missing, such as ${missing[0]}`);
  if (doubled.length > 0) faults.push(`${doubled.length} lines occur more than once, such as ${doubled[0]?.[0]}`);
  if (found.size > customIds.length) faults.push('there are lines that nobody sent');
  return faults;
}
