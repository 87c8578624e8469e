/**
 * One attempt on a pod: its timeouts, its output cap and its single end. The transport passes chunks in and calls
 * `deliver` once per read. An attempt can end in many ways, all of them handled here; only the first one counts.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Attempt, AttemptCounts, AttemptOutcome, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import { CUSTOM_TOOLS, type GenerationRequest } from '#orders/request.ts';
import { ChunkReader, stringsIn } from './chunk-events.ts';
import { ChunkParser } from './chunk-parser.ts';
import { BackendFault, BackendRefusal, type Complaint } from './malformed.ts';
import type { PodConfig } from './pod.ts';
import { forCaller, forLog } from './redaction.ts';

/** What an attempt needs. */
export interface AttemptOptions {
  readonly config: PodConfig;
  readonly request: AttemptRequest;
  readonly sink: AttemptSink;
  readonly clock: Clock;
  /** Called for each implausible usage; it is not used. */
  readonly onImplausibleUsage: () => void;
  /** Called with the backend's words when it failed; they are cut and redacted when they are read. For debugging. */
  readonly onComplaint?: ((orderId: string, said: () => string) => void) | undefined;
  /** Stops the transport. Called at most once, and never after the transport has ended by itself. */
  readonly stop: () => void;
}

/** The bound of a prompt that is kept so that a backend's words can be redacted: two bytes for each. */
const KEPT_TOKENS_MAX = 32 * 1024;

/**
 * How many first-token timeouts all attempts of an order may take together without output: after a pod that hangs, another
 * one has as much time, and that is all. No attempt begins with less than half of one.
 */
const SILENT_TIMEOUTS = 2;
const SILENT_TIMEOUTS_MIN = 0.5;

/** The fields by which vLLM and SGLang leave the stop string in the answer. */
const KEEP_STOP = ['include_stop_str_in_output', 'no_stop_trim'] as const;

/** A running attempt. Anything that arrives after its end is ignored. */
export class AttemptRun implements Attempt {
  readonly #config: PodConfig;
  readonly #sink: AttemptSink;
  readonly #clock: Clock;
  readonly #onComplaint: AttemptOptions['onComplaint'];
  readonly #stop: () => void;
  readonly #orderId: string;
  readonly #model: string;
  /** What was sent, if it is small, until output begins: an answer may take long. */
  #sent: GenerationRequest | null;
  readonly #parser = new ChunkParser();
  readonly #reader: ChunkReader;
  readonly #startMs: number;
  /** What is left of that for this attempt and later ones. */
  readonly #silentMsLeft: number;
  #firstOutputMs: number | null = null;
  #lastChunkMs: number;
  #timer: Timer;
  #over = false;

  constructor({ config, request, sink, clock, onImplausibleUsage, onComplaint, stop }: AttemptOptions) {
    this.#config = config;
    this.#sink = sink;
    this.#clock = clock;
    this.#onComplaint = onComplaint;
    this.#stop = stop;
    this.#orderId = request.orderId;
    this.#model = request.model;
    this.#sent = request.generation.promptBound > KEPT_TOKENS_MAX ? null : request.generation;
    this.#reader = new ChunkReader({
      outputCap: request.outputCap,
      outputTokensMax: request.withoutCap ? config.contextLength : request.outputCap,
      contextLength: config.contextLength,
      answerBytesMax: config.answerBytesMax,
      stop: stringsIn(request.generation.body.stop),
      keepsStop: KEEP_STOP.some((name) => request.generation.body[name] === true),
      customTools: stringsIn(request.generation.body[CUSTOM_TOOLS]),
      callIdPrefix: `call_${request.orderId.replaceAll('-', '')}_`,
      onImplausibleUsage,
    });
    this.#startMs = clock.monotonicMs();
    this.#silentMsLeft = SILENT_TIMEOUTS * config.firstTokenTimeoutMs - (request.silentMs ?? 0);
    this.#lastChunkMs = this.#startMs;
    this.#timer = clock.after(this.#nextCheckMs(this.#startMs), () => this.#checkTime());
  }

  /** Whether it has ended or was aborted. */
  get over(): boolean {
    return this.#over;
  }

  /**
   * Takes the data of one event: a JSON chunk or `[DONE]`. Throws like `chunk`, or when it is neither; nothing once the
   * answer is finished, because the usage may still follow an odd event.
   */
  data(data: string): void {
    if (this.#over) return;
    const word = data.startsWith('{') ? null : data.trim();
    if (word === '') return;
    if (word === '[DONE]') {
      this.#done();
      return;
    }
    try {
      this.chunk(this.#parser.parse(data));
    } catch (error) {
      if (!this.#isLate(error)) throw error;
    }
  }

  /** Takes one chunk. Throws BackendFault if it is malformed or an error, BackendRefusal if it refuses the request. */
  chunk(chunk: unknown): void {
    if (this.#over) return;
    this.#reader.read(chunk);
    if (this.#reader.overCap) this.#complete(true);
  }

  /** Runs `read`. Anything it throws ends this attempt, unless the answer is finished, and has no other effect. */
  guard(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!this.#isLate(error)) this.#failBy(error);
    }
  }

  /** Passes on everything since the last call. Call it once per read. */
  deliver(): void {
    if (this.#over) return;
    this.#lastChunkMs = this.#clock.monotonicMs();
    this.guard(() => this.#emitEvents());
  }

  /** The stream has ended, for `reason`. An answer that has a finish_reason is complete anyway. */
  closed(reason = 'the stream ended without a finish_reason'): void {
    if (this.#over) return;
    if (this.#reader.finished) this.#complete(false);
    else this.end({ kind: 'failed', reason }, false);
  }

  /**
   * The backend made an error: the attempt fails. `reason` is for the log, `said` are the backend's own words, '' for
   * none. `stop`: the transport is still running.
   */
  fail(reason: string, { said = '', stop = true } = {}): void {
    if (said !== '' && !this.#over) this.#onComplaint?.(this.#orderId, () => forLog(said, this.#config, this.#sent));
    this.end({ kind: 'failed', reason }, stop);
  }

  /** The backend refuses the request before any output. `stop`: the transport is still running. */
  refuse({ message, overfull }: Complaint, stop: boolean): void {
    const said = forCaller(message, this.#config, this.#model);
    this.end({ kind: 'refused', message: said, ...(overfull ? { overfull } : {}) }, stop);
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer.cancel();
    const outcome: AttemptOutcome = { kind: 'aborted', ...this.#counts };
    queueMicrotask(() => this.#sink.ended(outcome));
    this.#stop();
  }

  /** Ends the attempt with `outcome`, after the output so far. `stop`: the transport is still running. */
  end(outcome: AttemptOutcome, stop: boolean): void {
    if (this.#over) return;
    let final = outcome;
    try {
      this.#emitEvents();
    } catch (error) {
      final = { kind: 'failed', reason: reasonOf(error) };
    }
    // The sink may have aborted while it took its events.
    if (this.#over) return;
    if (final.kind === 'failed' && this.#isLast) final = { ...final, last: true };
    this.#over = true;
    this.#timer.cancel();
    try {
      if (stop) this.#stop();
    } finally {
      this.#sink.ended(final);
    }
  }

  /** The backend says that nothing more comes. Some engines do without a finish_reason behind their calls. */
  #done(): void {
    if (this.#reader.called) this.#complete(false);
    else this.closed();
  }

  #complete(stop: boolean): void {
    try {
      this.#reader.end();
    } catch (error) {
      this.#failBy(error);
      return;
    }
    this.end({ kind: 'complete', ...this.#counts }, stop);
  }

  /** Whether it is a fault of the backend behind a finished answer. */
  #isLate(error: unknown): boolean {
    return this.#reader.finished && (error instanceof BackendFault || error instanceof BackendRefusal);
  }

  #failBy(error: unknown): void {
    if (error instanceof BackendRefusal) this.refuse(error.complaint, true);
    else this.fail(reasonOf(error), { said: error instanceof BackendFault ? error.said : '' });
  }

  /** Whether too little time is left for the first output of another attempt. */
  get #isLast(): boolean {
    if (this.#firstOutputMs !== null) return false;
    const leftMs = this.#silentMsLeft - (this.#clock.monotonicMs() - this.#startMs);
    return leftMs < SILENT_TIMEOUTS_MIN * this.#config.firstTokenTimeoutMs;
  }

  get #counts(): AttemptCounts {
    const { usage, outputChunks } = this.#reader;
    return this.#config.tokenPerChunk ? { usage, outputChunks } : { usage };
  }

  #emitEvents(): void {
    const events = this.#reader.take();
    if (events.length === 0) return;
    this.#firstOutputMs ??= this.#clock.monotonicMs();
    this.#sent = null;
    this.#sink.events(events);
  }

  /** One timer checks all three timeouts, so that a chunk sets none. */
  #checkTime(): void {
    const nowMs = this.#clock.monotonicMs();
    const late = this.#lateness(nowMs);
    if (late === null) {
      this.#timer = this.#clock.after(this.#nextCheckMs(nowMs), () => this.#checkTime());
    } else if (this.#reader.finished) {
      this.#complete(true);
    } else {
      this.fail(late);
    }
  }

  /** How long this attempt may take for its first output. */
  get #firstOutputMsMax(): number {
    const { firstTokenTimeoutMs } = this.#config;
    // Earlier pods may have had other timeouts.
    return Math.min(firstTokenTimeoutMs, Math.max(this.#silentMsLeft, SILENT_TIMEOUTS_MIN * firstTokenTimeoutMs));
  }

  #lateness(nowMs: number): string | null {
    const { totalTimeoutMs, idleTimeoutMs } = this.#config;
    if (nowMs - this.#startMs >= totalTimeoutMs) return `not finished after ${totalTimeoutMs} ms`;
    if (this.#firstOutputMs === null)
      return nowMs - this.#startMs >= this.#firstOutputMsMax ? `no output after ${this.#firstOutputMsMax} ms` : null;
    return nowMs - this.#lastChunkMs >= idleTimeoutMs ? `silent for ${idleTimeoutMs} ms` : null;
  }

  /** Milliseconds until a timeout could be due: at most the idle time, because output may begin in the meantime. */
  #nextCheckMs(nowMs: number): number {
    const { totalTimeoutMs, idleTimeoutMs } = this.#config;
    const phaseEndMs =
      this.#firstOutputMs === null ? this.#startMs + this.#firstOutputMsMax : this.#lastChunkMs + idleTimeoutMs;
    const endMs = Math.min(phaseEndMs, this.#startMs + totalTimeoutMs);
    return Math.max(1, Math.min(endMs - nowMs, idleTimeoutMs));
  }
}

/**
 * For the log: what the backend did wrong, or the stack if the gateway failed to handle it. An unforeseen chunk must
 * cost one attempt and not the process.
 */
function reasonOf(error: unknown): string {
  if (error instanceof BackendFault) return error.message;
  return `internal: ${error instanceof Error ? error.stack : String(error)}`;
}
