/**
 * Reads large bodies in a thread of its own, one after the other: to parse, check, measure and write JSON of 8 MB takes
 * tens of milliseconds, in which a single thread would serve nobody else. The thread returns little of an inference
 * request, apart from the model's input, which stays JSON and becomes a tree only when its order runs. Decision 34.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';
import { exactJson } from '#base/exact-json.ts';
import { Fault, type FaultCode, type FaultDetail } from '#base/fault.ts';
import { Semaphore } from '#base/semaphore.ts';
import type { InputLine } from '#batches/input-lines.ts';
import { BadLine } from '#batches/line.ts';
import type { LargeLines, LineRules, ReadLine } from '#batches/line-request.ts';
import { ReadElsewhere } from '#contract/call.ts';
import type { Listings } from '#market/listing.ts';
import type { OrderKind } from '#orders/order.ts';
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

/** A line of a batch: its place in the file, and what of it is wanted. */
export type LargeLine = { readonly number: number; readonly bytes: OwnBytes } & (
  | { readonly customIdFor: OrderKind }
  | { readonly requestBy: LineRules }
);

/** What the thread says about one body. */
export type LargeBodyAnswer =
  /** The custom id of a line, and its request or why it is refused, where that is wanted. */
  | { readonly type: 'line'; readonly customId: string; readonly read: LargeBodyAnswer | null }
  /** What is wrong with a line. */
  | { readonly type: 'bad-line'; readonly complaint: string }
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
  readonly message: LargeBody | LargeLine;
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface LargeBodiesOptions {
  readonly listings: Pick<Listings, 'customToolModels'>;
  readonly file?: URL;
}

/** The thread, which starts with the first large body and is replaced when it dies. */
export class LargeBodies implements LargeLines {
  readonly #listings: LargeBodiesOptions['listings'];
  readonly #file: URL;
  readonly #jobs: Job[] = [];
  /** The lines of all batches have one place in the queue of bodies: a body waits behind one line at most. */
  readonly #lines = new Semaphore(1);
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
  read(message: LargeBody | LargeLine): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ message, resolve, reject });
      this.#next();
    });
  }

  async customIdOf(line: InputLine, kind: OrderKind): Promise<string> {
    return (await this.#readLine(line, (given) => ({ ...given, customIdFor: kind }))).customId;
  }

  async readRequest(line: InputLine, { kind, limit, strict, tags }: LineRules): Promise<ReadLine> {
    const requestBy = { kind, limit, strict, tags };
    const { customId, read } = await this.#readLine(line, (given) => ({ ...given, requestBy }));
    if (read?.type === 'request') return { customId, request: lineRequestOf(read) };
    if (read?.type === 'fault') return { customId, request: new Fault(read.code, read.detail) };
    throw read?.type === 'error' ? read.error : new Error('a line was read as no request');
  }

  /** The thread gets a copy: a line may be read again. Throws BadLine. */
  async #readLine({ number, bytes }: InputLine, ask: (given: Pick<LargeLine, 'number' | 'bytes'>) => LargeLine) {
    const given = () => ({ number, bytes: Uint8Array.from(bytes ?? []) });
    const answer = (await this.#lines.run(() => this.read(ask(given())))) as LineAnswer;
    if (answer.type === 'bad-line') throw new BadLine(number, answer.complaint);
    return answer;
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
    const own = ownBytes(job.message.bytes);
    const { customToolModels } = this.#listings;
    this.#worker.postMessage({ ...job.message, bytes: own, customToolModels }, [own.buffer]);
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
  else if (answer.type === 'line' || answer.type === 'bad-line') resolve(answer);
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

type LineAnswer = Extract<LargeBodyAnswer, { type: 'line' | 'bad-line' }>;

/** An answer of a line repeats nothing of its request. */
function lineRequestOf(read: Extract<LargeBodyAnswer, { type: 'request' }>): InferenceRequest {
  const { repeated: _, ...request } = requestOf(read).request;
  return request;
}

/** The same bytes with a buffer to themselves. */
export function ownBytes(bytes: Uint8Array): OwnBytes {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return Uint8Array.from(bytes);
}
