/**
 * Reads large bodies in a thread of its own, one after the other: to parse, check, measure and write JSON of 8 MB takes
 * tens of milliseconds, in which a single thread would serve nobody else. What comes back of an inference request is
 * small, apart from the model's input, which stays JSON and becomes a tree only when its order runs. Decision 34.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';
import { exactJson } from '#base/exact-json.ts';
import { Fault, type FaultCode, type FaultDetail } from '#base/fault.ts';
import { ReadElsewhere } from '#contract/call.ts';
import type { Listings } from '#market/listing.ts';
import type { InferenceRequest, MeasuredInput, PackedInput } from '#orders/request.ts';

/** A larger body is worth the way to another thread. A smaller one blocks this one for a millisecond or two. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** A body has at most 8 MiB and 100,000 values; its tree, texts and bytes take less than half of this. */
const HEAP_MIB = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** A body and where it goes. */
interface LargeBody {
  readonly operationId: string;
  readonly headers: IncomingHttpHeaders;
  /** Given away: unusable afterwards. */
  readonly bytes: Buffer;
}

/** What the thread says of one body. */
export type LargeBodyAnswer =
  /** An inference request in three parts, all JSON: the model's input, what an answer repeats, and the rest. */
  | { readonly type: 'request'; readonly rest: string; readonly input: OwnBytes; readonly echo: OwnBytes }
  /** What another handler needs of a body. */
  | { readonly type: 'read'; readonly value: unknown }
  /** The body itself, for a handler that reads it. */
  | { readonly type: 'body'; readonly value: unknown }
  | { readonly type: 'fault'; readonly code: FaultCode; readonly detail: FaultDetail }
  | { readonly type: 'error'; readonly error: unknown };

/** Bytes with a buffer to themselves, which can be given to another thread. */
export type OwnBytes = Uint8Array<ArrayBuffer>;

/** An inference request whose input stayed JSON, as did what an answer repeats of it, until that is needed. */
export interface ReadRequest<Echo, Input extends MeasuredInput = PackedInput> {
  readonly request: InferenceRequest<Input>;
  readonly echo: () => Echo;
  /** The same in JSON, of a body that the thread has read. */
  readonly echoJson?: Uint8Array;
}

interface Job {
  readonly body: LargeBody;
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface LargeBodiesOptions {
  readonly listings: Pick<Listings, 'customToolModels'>;
  readonly file?: URL;
}

/** The thread, which starts with the first large body and is replaced when it dies. */
export class LargeBodies {
  readonly #listings: LargeBodiesOptions['listings'];
  readonly #file: URL;
  readonly #jobs: Job[] = [];
  #running: Job | null = null;
  #worker: Worker | null = null;

  /** `file` is what the thread runs; `listings` say which models take custom tools. */
  constructor({ listings, file = new URL('./large-body-worker.ts', import.meta.url) }: LargeBodiesOptions) {
    this.#listings = listings;
    this.#file = file;
  }

  /**
   * What the handler of the operation gets as its body. Throws what reading it in this thread would throw. The caller
   * bounds how much waits here.
   */
  read(body: LargeBody): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ body, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread. Bodies that it has not read are refused. */
  async close(): Promise<void> {
    for (const { reject } of this.#jobs.splice(0)) reject(new Fault('unavailable'));
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#jobs.shift();
    if (!job) return;
    this.#running = job;
    this.#worker ??= this.#start();
    const { operationId, headers, bytes } = job.body;
    const own = ownBytes(bytes);
    const { customToolModels } = this.#listings;
    this.#worker.postMessage({ operationId, headers, bytes: own, customToolModels }, [own.buffer]);
  }

  #start(): Worker {
    // Options of the process, such as an input type, apply only to its own main file.
    const options = { execArgv: [], resourceLimits: HEAP_MIB };
    const worker = new Worker(this.#file, options);
    let cause: unknown = new Fault('unavailable');
    worker.on('message', (answer: LargeBodyAnswer) => this.#over((job) => settle(job, answer)));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = null;
      this.#over(({ reject }) => reject(cause));
    });
    return worker;
  }

  #over(settled: (job: Job) => void): void {
    const job = this.#running;
    this.#running = null;
    if (job) settled(job);
    this.#next();
  }
}

function settle({ resolve, reject }: Job, answer: LargeBodyAnswer): void {
  if (answer.type === 'request') resolve(new ReadElsewhere(requestOf(answer)));
  else if (answer.type === 'read') resolve(new ReadElsewhere(answer.value));
  else if (answer.type === 'body') resolve(answer.value);
  else if (answer.type === 'fault') reject(new Fault(answer.code, answer.detail));
  else reject(answer.error);
}

function requestOf({ rest, input, echo }: Extract<LargeBodyAnswer, { type: 'request' }>): ReadRequest<unknown> {
  const request = exactJson(rest) as InferenceRequest<MeasuredInput>;
  const generation = { ...request.generation, json: Buffer.from(input.buffer) };
  return {
    request: { ...request, generation, repeated: echo },
    echoJson: echo,
    echo: () => exactJson(Buffer.from(echo.buffer).toString()),
  };
}

/** The same bytes with a buffer to themselves. */
export function ownBytes(bytes: Uint8Array): OwnBytes {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return Uint8Array.from(bytes);
}
