/**
 * Batches that run from lines to results, and their files. This file is handwritten and copied into the client as it is:
 * a run needs five requests of the generated core in the right order, and a lost answer would make a second batch.
 */
import type { Core } from './client.js';
import { InvalidRequestError, ServerError } from './error-classes.js';
import { SluiceError, TimeoutError } from './errors.js';
import { endOf } from './faults.js';
import { type Batch, type BatchRequest, ChatCompletionFromJSON, type StoredFile } from './models/index.js';
import { type Money, toNumber } from './money.js';
import { backoffMs, type CallOptions, sleep, wireNames, withEnd, withOptions } from './transport.js';
import type { Deadline } from './unions.js';

/** The files of batches. */
export class Files {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Stores the lines of a batch. `openAsBlob` of `node:fs` opens a file without reading it into memory. */
  upload(content: Blob, name = 'lines.jsonl', options?: CallOptions): Promise<StoredFile> {
    const file = new File([content], name);
    return this.#core.files.uploadFile({ file, purpose: 'batch' }, withOptions(options));
  }

  /** The content of a file. */
  content(id: string, options?: CallOptions): Promise<Blob> {
    return this.#core.files.getFileContent({ id }, withOptions(options));
  }

  /** All files, newest first. */
  async *list(options?: CallOptions): AsyncGenerator<StoredFile> {
    yield* pages((after) => this.#core.files.listFiles(after, withOptions(options)));
  }
}

/** One request of a batch: the body of a chat, or of another endpoint. */
export interface BatchLine {
  readonly customId: string;
  readonly body: object;
}

/** What a run may cost and how long it may take. */
export interface BatchParams {
  /** `/v1/chat/completions` when absent. */
  readonly endpoint?: BatchRequest['endpoint'];
  /** Of each line that has none of its own. */
  readonly priceLimit?: Money;
  /** Seconds until the batch expires. */
  readonly maxWait?: number;
  readonly deadline?: Deadline;
  /** Up to 15 pairs of strings. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Learns of the batch now and then, and at its end. */
  readonly onProgress?: (batch: Batch) => void;
}

/** What a line became. Either is null. */
export interface BatchResult {
  readonly customId: string;
  /** The answer in the shape of the endpoint; a ChatCompletion for chats. */
  readonly body: unknown;
  readonly error: SluiceError | null;
}

/** In the metadata of a batch, so that a batch whose answer was lost is found instead of made again. */
const RUN = 'sluice_client_run';
const POLL_MS = 2000;
/** Fields of a body that are numbers on the wire, and strings in a program. */
const AMOUNTS = ['price_limit', 'max_price', 'max_charge_usd'];
const ENDED = ['completed', 'expired', 'cancelled', 'failed'];

/** The batches of the account. */
export class Batches {
  readonly #core: Core;
  readonly #files: Files;
  readonly #maxRetries: number;

  constructor(core: Core, files: Files, maxRetries: number) {
    this.#core = core;
    this.#files = files;
    this.#maxRetries = maxRetries;
  }

  /** Sends lines, or a file of them, as a batch, waits until it ends, and returns what each line became, in their order. */
  async run(
    lines: readonly BatchLine[] | Blob,
    params: BatchParams = {},
    callOptions?: CallOptions,
  ): Promise<BatchResult[]> {
    const { endpoint = '/v1/chat/completions', onProgress } = params;
    const options = withEnd(callOptions);
    const content = lines instanceof Blob ? lines : new Blob(lines.map((line) => textOf(line, endpoint)));
    const file = await this.#files.upload(content, undefined, options);
    let batch = await this.#create(file, { ...params, endpoint }, options);
    while (!ENDED.includes(batch.status)) {
      onProgress?.(batch);
      if (!(await sleep(POLL_MS, options.signal))) throw leftWaiting(batch.id, options.signal?.reason);
      batch = await this.get(batch.id, options);
    }
    onProgress?.(batch);
    if (batch.status === 'failed') throw new InvalidRequestError(faultsOf(batch), { code: 'batch_error' });
    const ids =
      lines instanceof Blob
        ? linesOf(await lines.text()).map(({ custom_id }) => custom_id)
        : lines.map(({ customId }) => customId);
    return this.#results(batch, ids, options);
  }

  /** The batch with this id. */
  get(id: string, options?: CallOptions): Promise<Batch> {
    return this.#core.batches.getBatch({ id }, withOptions(options));
  }

  /** Ends the lines that wait; those that run finish. */
  cancel(id: string, options?: CallOptions): Promise<Batch> {
    return this.#core.batches.cancelBatch({ id }, withOptions(options));
  }

  /** All batches, newest first. */
  async *list(options?: CallOptions): AsyncGenerator<Batch> {
    yield* pages((after) => this.#core.batches.listBatches(after, withOptions(options)));
  }

  /** Makes a batch once: when no answer came, it looks among those since its file was stored before it tries again. */
  async #create(
    file: StoredFile,
    params: BatchParams & Pick<BatchRequest, 'endpoint'>,
    options: CallOptions,
  ): Promise<Batch> {
    const { onProgress: _, ...others } = params;
    const metadata = { ...params.metadata, [RUN]: crypto.randomUUID() };
    const batchRequest = wireNames<BatchRequest>({ ...others, inputFileId: file.id, metadata });
    for (let failures = 0; ; failures++) {
      try {
        return await this.#core.batches.createBatch({ batchRequest }, withOptions(options));
      } catch (error) {
        // Something before the gateway answered, or nothing, or the gateway failed.
        const isOpen = error instanceof SluiceError && (error.type === null || (error.status ?? 0) >= 500);
        if (!isOpen || failures >= this.#maxRetries) throw error;
        if (!(await sleep(backoffMs(failures), options.signal))) throw leftWaiting(file.id, options.signal?.reason);
      }
      for await (const batch of this.list(options)) {
        if (batch.metadata?.[RUN] === metadata[RUN]) return batch;
        if (batch.created_at < file.created_at) break;
      }
    }
  }

  /** The output and the error file, in the order of the lines. */
  async #results(batch: Batch, ids: readonly string[], options: CallOptions): Promise<BatchResult[]> {
    const results = new Map<string, BatchResult>();
    for (const id of [batch.output_file_id, batch.error_file_id])
      if (id !== null)
        for (const line of linesOf(await (await this.#files.content(id, options)).text()))
          results.set(line.custom_id, resultOf(line));
    const facts = { code: 'no_result' };
    const missing = (customId: string) => ({
      customId,
      body: null,
      error: new ServerError('The line has no result.', facts),
    });
    return ids.map((customId) => results.get(customId) ?? missing(customId));
  }
}

interface ResultLine {
  readonly custom_id: string;
  readonly response?: { readonly body: { readonly object?: string } } | null;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

function resultOf({ custom_id: customId, response, error }: ResultLine): BatchResult {
  const body = response?.body ?? null;
  // Only an order whose answer is no longer stored was charged without one.
  if (error) return { customId, body, error: endOf(null, error, error.code === 'result_unavailable') };
  return { customId, body: body?.object === 'chat.completion' ? ChatCompletionFromJSON(body) : body, error: null };
}

/** The line of a request, with its amounts as numbers. */
function textOf({ customId, body }: BatchLine, url: string): string {
  const fields = Object.entries(body).map(([name, value]) => [name, AMOUNTS.includes(name) ? toNumber(value) : value]);
  return `${JSON.stringify({ custom_id: customId, method: 'POST', url, body: Object.fromEntries(fields) })}\n`;
}

function linesOf(text: string): ResultLine[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as ResultLine]));
}

function faultsOf({ id, errors }: Batch): string {
  const faults = errors?.data ?? [];
  return `The batch ${id} was refused: ${faults.map(({ message }) => message).join(' ')}`;
}

function leftWaiting(id: string, cause: unknown): TimeoutError {
  return new TimeoutError(`${id} has not ended; ask for it again.`, { charged: null, retryable: true, cause });
}

/** The entries of a list that goes on after the id of its last one. */
async function* pages<Entry extends { readonly id: string }>(
  read: (page: {
    after?: string;
    limit: number;
  }) => Promise<{ readonly data: readonly Entry[]; readonly has_more: boolean }>,
): AsyncGenerator<Entry> {
  for (let after: string | undefined; ; ) {
    const { data, has_more } = await read({ limit: 100, ...(after && { after }) });
    yield* data;
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return;
  }
}
