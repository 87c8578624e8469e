/**
 * Attempts on an OpenAI-compatible chat server, with undici's `dispatch`: no promise and no timer per chunk. The
 * backend is always asked for a stream, also for a unary answer, so that there is one way of reading it, and an abort
 * closes the connection, which is what makes backends stop generating.
 */
import { type Dispatcher, Pool } from 'undici';
import type { Timer } from '#base/clock.ts';
import type { Attempt, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import { AttemptRun, type AttemptSetting } from './attempt-run.ts';
import { EventStreamReader } from './event-stream.ts';
import { errorMessage, isRefusal } from './malformed.ts';
import { pingOver } from './ping.ts';
import type { Ping, Pod, PodConfig } from './pod.ts';
import { withSystemPolicy } from './system-policy.ts';

/** Connections beyond the slots: for pings, and for answers whose last bytes are still on the way. */
const SPARE_CONNECTIONS = 8;
/** An error body beyond this is not read. */
const ERROR_BODY_BYTES_MAX = 64 * 1024;
/** How long a response may stay open after its last word. */
const LINGER_MS = 1_000;

/** What a backend runs with. */
export interface BackendParts extends Pick<AttemptSetting, 'clock' | 'onUnbelievableUsage'> {
  /** Called when nobody listens at its address. */
  readonly onRefused: () => void;
}

/** A pod behind HTTP. */
export class Backend implements Pod {
  readonly config: PodConfig;
  readonly #parts: BackendParts;
  readonly #connections: Pool;
  readonly #path: string;
  readonly #headers: readonly string[];

  /** `config.url` must be an http or https address. */
  constructor(config: PodConfig, parts: BackendParts) {
    this.config = config;
    this.#parts = parts;
    const { origin, pathname } = new URL(config.url ?? '');
    this.#path = pathname.replace(/\/+$/, '');
    this.#headers = config.apiKey === null ? [] : ['authorization', `Bearer ${config.apiKey}`];
    // Timeouts are the attempt's own. Idle connections are kept for 4 s, undici's default: uvicorn, which serves most
    // backends, closes them after 5 s without saying so, and a request on a closing connection fails.
    this.#connections = new Pool(origin, {
      connections: config.slots + SPARE_CONNECTIONS,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const exchange = new ChatExchange({ config: this.config, request, sink, ...this.#parts });
    const body = JSON.stringify(chatBody(this.config, request));
    const headers = ['content-type', 'application/json', 'accept', 'text/event-stream', ...this.#headers];
    // Later, because dispatch reports some errors from inside its call.
    queueMicrotask(() => {
      if (exchange.run.over) return;
      this.#connections.dispatch({ method: 'POST', path: `${this.#path}/chat/completions`, headers, body }, exchange);
    });
    return exchange.run;
  }

  ping(): Promise<Ping> {
    return pingOver(this.#connections, `${this.#path}/models`, [...this.#headers], this.#parts.clock);
  }

  close(): Promise<void> {
    return this.#connections.destroy();
  }
}

/** What the backend is sent: the caller's body as it is, and what the gateway decides. */
function chatBody(config: PodConfig, request: AttemptRequest): object {
  return {
    ...withSystemPolicy(request.generation.body, config.systemPolicy),
    model: config.upstreamModel,
    max_tokens: request.outputCap,
    stream: true,
    stream_options: config.continuousUsage
      ? { include_usage: true, continuous_usage_stats: true }
      : { include_usage: true },
  };
}

type ExchangeSetting = Omit<AttemptSetting, 'stop'> & BackendParts;

/** One request and its answer, as undici tells it. */
class ChatExchange implements Dispatcher.DispatchHandler {
  readonly run: AttemptRun;
  readonly #setting: ExchangeSetting;
  readonly #stream: EventStreamReader;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #arrived: Buffer[] = [];
  #arrivedBytes = 0;
  /** Whether reading what arrived has been put on the list of microtasks. */
  #waiting = false;
  /** Whether the response may still go on. */
  #open = true;
  #linger: Timer | null = null;

  constructor(setting: ExchangeSetting) {
    this.#setting = setting;
    this.run = new AttemptRun({ ...setting, stop: () => this.#stop() });
    this.#stream = new EventStreamReader((data) => this.run.data(data));
  }

  /** A connection is free and the request goes out; before this there is nothing to stop but this. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.run.over) this.#stop();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    if (status !== 200) return;
    const type = String(headers['content-type'] ?? 'none');
    if (!type.toLowerCase().startsWith('text/event-stream'))
      this.run.fail(`the backend answered with content type ${type}`);
  }

  /**
   * undici calls this for each HTTP chunk, and servers write one per event. What one read of the socket brought is put
   * together: it becomes one batch of events.
   */
  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.run.over) return;
    this.#arrived.push(bytes);
    this.#arrivedBytes += bytes.length;
    if (this.#status !== 200) {
      if (this.#arrivedBytes > ERROR_BODY_BYTES_MAX) this.#answerRefusal(true);
    } else if (!this.#waiting) {
      this.#waiting = true;
      queueMicrotask(() => this.#readArrived());
    }
  }

  onResponseEnd(): void {
    this.#responseOver();
    if (this.#status !== 200) {
      this.#answerRefusal(false);
      return;
    }
    this.#readArrived();
    this.run.guard(() => {
      this.#stream.end();
      this.run.closed();
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#responseOver();
    this.#readArrived();
    // The status has said enough when only the body that explains it is lost.
    if (this.#status !== 0 && this.#status !== 200) this.#answerRefusal(false);
    if (codeOf(error) === 'ECONNREFUSED') this.#setting.onRefused();
    this.run.closed(`the connection failed: ${codeOf(error)}`);
  }

  #readArrived(): void {
    this.#waiting = false;
    if (this.run.over || this.#arrived.length === 0 || this.#status !== 200) return;
    const [first] = this.#arrived;
    const bytes = first && this.#arrived.length === 1 ? first : Buffer.concat(this.#arrived, this.#arrivedBytes);
    this.#arrived = [];
    this.#arrivedBytes = 0;
    this.run.guard(() => this.#stream.feed(bytes));
    this.run.deliver();
    if (this.run.over && this.#open) this.#linger = this.#setting.clock.after(LINGER_MS, () => this.#stop());
  }

  #responseOver(): void {
    this.#open = false;
    this.#linger?.cancel();
  }

  #answerRefusal(stop: boolean): void {
    const status = this.#status;
    const said = this.#said();
    if (isRefusal(status)) this.run.refuse(said, stop);
    else if (status === 429 || status === 503) this.run.end({ kind: 'no-slot' }, stop);
    else {
      this.run.end({ kind: 'failed', reason: `the backend answered ${status}: ${said}${hintOf(status)}` }, stop);
    }
  }

  /** What the error body says. */
  #said(): string {
    const text = Buffer.concat(this.#arrived, this.#arrivedBytes).toString();
    try {
      return errorMessage(JSON.parse(text));
    } catch {
      return errorMessage(text);
    }
  }

  #stop(): void {
    this.#controller?.abort(new Error('the attempt was stopped'));
  }
}

/** The usual mistake behind a status, for the log. */
function hintOf(status: number): string {
  if (status === 404) return ' (does the url of the pod end in /v1, and does it know the model by this name?)';
  return status === 401 || status === 403 ? ' (does api_key_env name its key?)' : '';
}

/** Connection errors are told by their code: their messages carry addresses. */
function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.name;
}
