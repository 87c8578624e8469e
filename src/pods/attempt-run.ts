/**
 * One attempt on a pod, whatever carries its chunks: its timeouts, its cap, and its one end. The carrier hands chunks in
 * and calls `deliver` once per arrival; everything that can end an attempt meets here, and only the first counts.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Attempt, AttemptOutcome, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import { ChunkReader, stopStrings } from './chunk-events.ts';
import { ChunkParser } from './chunk-parser.ts';
import { BackendFault, BackendRefusal } from './malformed.ts';
import type { PodConfig } from './pod.ts';

/** What an attempt runs with. */
export interface AttemptSetting {
  readonly config: PodConfig;
  readonly request: AttemptRequest;
  readonly sink: AttemptSink;
  readonly clock: Clock;
  /** Called for each usage that cannot be true; it is not used. */
  readonly onUnbelievableUsage: () => void;
  /** Stops whatever carries the chunks. Called at most once, and only when it has not ended by itself. */
  readonly stop: () => void;
}

/** A running attempt. All that comes after its end is ignored. */
export class AttemptRun implements Attempt {
  readonly #setting: AttemptSetting;
  readonly #parser = new ChunkParser();
  readonly #reader: ChunkReader;
  readonly #startMs: number;
  #firstOutputMs: number | null = null;
  #lastChunkMs: number;
  #timer: Timer;
  #over = false;

  constructor(setting: AttemptSetting) {
    const { config, request, clock, onUnbelievableUsage } = setting;
    this.#setting = setting;
    this.#reader = new ChunkReader({
      outputCap: request.outputCap,
      contextLength: config.contextLength,
      stop: stopStrings(request.generation.body.stop),
      callIdPrefix: `call_${request.orderId.replaceAll('-', '')}_`,
      onUnbelievableUsage,
    });
    this.#startMs = clock.nowMs();
    this.#lastChunkMs = this.#startMs;
    this.#timer = clock.after(this.#nextCheckMs(this.#startMs), () => this.#checkTime());
  }

  /** Whether it has ended or was aborted. */
  get over(): boolean {
    return this.#over;
  }

  /** Takes the data of one event: a chunk as JSON, or `[DONE]`. Throws as `chunk` does, or when it is neither. */
  data(data: string): void {
    if (this.#over) return;
    if (data === '[DONE]') {
      this.closed();
      return;
    }
    this.chunk(this.#parser.parse(data));
  }

  /** Takes one chunk. Throws BackendFault when it is malformed or an error, BackendRefusal when it refuses the request. */
  chunk(chunk: unknown): void {
    if (this.#over) return;
    this.#reader.read(chunk);
    if (this.#reader.overCap) this.#complete(true);
  }

  /** Runs `read`; whatever it throws ends this attempt and nothing else. */
  guard(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (error instanceof BackendRefusal) this.refuse(error.message, true);
      else this.fail(reasonOf(error));
    }
  }

  /** Passes on what has come since the last call: once per arrival. */
  deliver(): void {
    if (this.#over) return;
    this.#lastChunkMs = this.#setting.clock.nowMs();
    this.guard(() => this.#tellEvents());
  }

  /** No more chunks come, for `reason`. An answer that has its finish_reason is whole all the same. */
  closed(reason = 'the stream ended without a finish_reason'): void {
    if (this.#over) return;
    if (this.#reader.finished) this.#complete(false);
    else this.end({ kind: 'failed', reason }, false);
  }

  /** The backend did something wrong: it is stopped, and nothing it said counts. */
  fail(reason: string): void {
    this.end({ kind: 'failed', reason }, true);
  }

  /** The backend refuses the request, before any output; `said` is what it says. `stop`: the carrier still runs. */
  refuse(said: string, stop: boolean): void {
    this.end({ kind: 'refused', message: this.#withoutOurs(said) }, stop);
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer.cancel();
    this.#setting.stop();
    const outcome: AttemptOutcome = { kind: 'aborted', usage: this.#reader.usage };
    queueMicrotask(() => this.#setting.sink.ended(outcome));
  }

  /** Ends it with `outcome`, after what has come so far. `stop`: the carrier still runs. */
  end(outcome: AttemptOutcome, stop: boolean): void {
    if (this.#over) return;
    let told = outcome;
    try {
      this.#tellEvents();
    } catch (error) {
      told = { kind: 'failed', reason: reasonOf(error) };
    }
    // A sink may abort while it takes its events.
    if (this.#over) return;
    this.#over = true;
    this.#timer.cancel();
    if (stop) this.#setting.stop();
    this.#setting.sink.ended(told);
  }

  #complete(stop: boolean): void {
    this.#reader.end();
    this.end({ kind: 'complete', usage: this.#reader.usage }, stop);
  }

  /** Callers know the listing, not what it is called behind the gateway. */
  #withoutOurs(message: string): string {
    const { config, request } = this.#setting;
    const theirName = new RegExp(`(?<![\\w-])${RegExp.escape(config.upstreamModel)}(?![\\w-])`, 'g');
    const named = message.replace(theirName, () => request.model);
    return config.apiKey ? named.replaceAll(config.apiKey, '[redacted]') : named;
  }

  #tellEvents(): void {
    const events = this.#reader.take();
    if (events.length === 0) return;
    this.#firstOutputMs ??= this.#setting.clock.nowMs();
    this.#setting.sink.events(events);
  }

  /** One timer looks at all three timeouts, so that a chunk costs none. */
  #checkTime(): void {
    const nowMs = this.#setting.clock.nowMs();
    const late = this.#lateness(nowMs);
    if (late === null) {
      this.#timer = this.#setting.clock.after(this.#nextCheckMs(nowMs), () => this.#checkTime());
    } else if (this.#reader.finished) {
      this.#complete(true);
    } else {
      this.fail(late);
    }
  }

  #lateness(nowMs: number): string | null {
    const { totalTimeoutMs, firstTokenTimeoutMs, idleTimeoutMs } = this.#setting.config;
    if (nowMs - this.#startMs >= totalTimeoutMs) return `not finished after ${totalTimeoutMs} ms`;
    if (this.#firstOutputMs === null)
      return nowMs - this.#startMs >= firstTokenTimeoutMs ? `no output after ${firstTokenTimeoutMs} ms` : null;
    return nowMs - this.#lastChunkMs >= idleTimeoutMs ? `silent for ${idleTimeoutMs} ms` : null;
  }

  /** Milliseconds until a timeout could be due: never later than the idle time, because output may begin meanwhile. */
  #nextCheckMs(nowMs: number): number {
    const { totalTimeoutMs, firstTokenTimeoutMs, idleTimeoutMs } = this.#setting.config;
    const phaseEndMs =
      this.#firstOutputMs === null ? this.#startMs + firstTokenTimeoutMs : this.#lastChunkMs + idleTimeoutMs;
    const endMs = Math.min(phaseEndMs, this.#startMs + totalTimeoutMs);
    return Math.max(1, Math.min(endMs - nowMs, idleTimeoutMs));
  }
}

/**
 * For the log: what the backend did wrong, or where the gateway itself failed on what it was sent. A chunk that nobody
 * foresaw must cost one attempt and not the process.
 */
function reasonOf(error: unknown): string {
  if (error instanceof BackendFault) return error.message;
  return `internal: ${error instanceof Error ? error.stack : String(error)}`;
}
