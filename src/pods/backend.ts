/**
 * Attempts on an OpenAI-compatible chat server, with undici's `dispatch`: no promise and no timer per chunk. The
 * backend always streams, even for a unary answer, so that there is one way to read it. An abort closes the connection,
 * because that is what makes backends stop generating.
 */
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Timer } from '#base/clock.ts';
import type { Attempt, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import { namesOf } from './attempt-names.ts';
import { type AttemptOptions, AttemptRun } from './attempt-run.ts';
import { engineInput } from './engine-input.ts';
import { type Engine, type EngineProfile, engineIn, namesIn, profiles } from './engine-profiles.ts';
import { EventStreamReader } from './event-stream.ts';
import { codeOf, getOver } from './get-request.ts';
import { type Complaint, complaintOf, isRefusal } from './malformed.ts';
import type { MetricsPage, Ping, Pod, PodConfig } from './pod.ts';
import { Pool } from './undici-pool.ts';

/** An error body is read up to this size. */
const ERROR_BODY_BYTES_MAX = 64 * 1024;
const CHAT_HEADERS = ['content-type', 'application/json', 'accept', 'text/event-stream'];
/** How much of a content type is logged. */
const CONTENT_TYPE_LENGTH = 40;
/** In UTF-16 units. A longer body is sent in a way that costs more, and keeps nothing of it. */
const TEXT_LENGTH_MAX = 64 * 1024;
/** How long a response may stay open after the attempt ended. */
const LINGER_MS = 1_000;
/** The limit for a list of models. Lists of hosted services have up to about 100 kB. */
const MODELS_BYTES_MAX = 1024 * 1024;
/** A backend that takes longer to answer a GET is unhealthy. */
const PING_MS = 5_000;
/** A page of metrics that takes longer is of no use: the next is asked for by then. */
const PAGE_MS = 2_000;
/** vLLM's has about 100 kB; its histograms grow with the models that it serves. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

interface BackendOptions extends Pick<AttemptOptions, 'clock' | 'onImplausibleUsage' | 'onComplaint'> {
  /** Called when its address refuses a connection. */
  readonly onConnectionRefused: () => void;
}

/** A pod behind HTTP. */
export class Backend implements Pod {
  readonly config: PodConfig;
  #guess: Engine = 'auto';
  #names: readonly string[] = [];
  readonly #options: BackendOptions;
  readonly #connections: Dispatcher;
  readonly #path: string;
  readonly #headers: readonly string[];

  /** `config.url` must be an http or https address. */
  constructor(config: PodConfig, options: BackendOptions) {
    this.config = config;
    this.#options = options;
    const { origin, pathname } = new URL(config.url ?? '');
    this.#path = pathname.replace(/\/+$/, '');
    this.#headers = config.apiKey === null ? [] : ['authorization', `Bearer ${config.apiKey}`];
    // As many connections as there are attempts, which the market bounds by slots that may grow; beyond a bound of its own
    // the pool would make admitted orders wait. The attempt has its own timeouts. Idle connections are kept for 4 s, undici's default: uvicorn, which serves most
    // backends, closes them after 5 s without notice, and a request on a closing connection fails.
    this.#connections = new Pool(origin, {
      connections: null,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const exchange = new ChatExchange({ config: this.config, request, sink, options: this.#options });
    const { body, length } = sendable(JSON.stringify(chatBody(this.config, profiles[this.engine], request)));
    const headers = [...CHAT_HEADERS, ...length, ...this.#headers, ...namesOf(request)];
    // Deferred, because dispatch reports some errors from inside its call.
    queueMicrotask(() => {
      if (exchange.run.over) return;
      this.#connections.dispatch({ method: 'POST', path: `${this.#path}/chat/completions`, headers, body }, exchange);
    });
    return exchange.run;
  }

  /** The models that its last ping listed; none where it listed none. */
  get names(): readonly string[] {
    return this.#names;
  }

  get engine(): Engine {
    return this.config.engine === 'auto' ? this.#guess : this.config.engine;
  }

  /**
   * Any answer except a server error, a refused key or a list without its model counts as alive. Some servers have no list
   * of models (404). The list shows which engine is there; after a restart of the server that may be another.
   */
  async ping(): Promise<Ping> {
    const path = `${this.#path}/models`;
    const request = { path, headers: this.#headers, limitMs: PING_MS, bytesMax: MODELS_BYTES_MAX };
    const answer = await getOver(this.#connections, request, this.#options.clock);
    if ('fault' in answer) {
      if (answer.fault === 'LONG') return 'alive';
      return answer.fault === 'ECONNREFUSED' ? 'refused' : 'failing';
    }
    if (answer.status === 401 || answer.status === 403) return 'denied';
    if (answer.status >= 500) return 'failing';
    const { upstreamModel } = this.config;
    if (answer.text !== '') this.#guess = engineIn(answer.text, upstreamModel) ?? 'auto';
    this.#names = namesIn(answer.text);
    return this.#names.length === 0 || this.#names.includes(upstreamModel) ? 'alive' : 'unlisted';
  }

  /** Engines have it beside `/v1`, at the root of their address. */
  async metrics(): Promise<MetricsPage> {
    const path = `${this.#path.replace(/\/v1$/, '')}/metrics`;
    const headers = ['accept', 'text/plain', ...this.#headers];
    const request = { path, headers, limitMs: PAGE_MS, bytesMax: PAGE_BYTES_MAX };
    const answer = await getOver(this.#connections, request, this.#options.clock);
    if ('status' in answer)
      return answer.status === 200 ? answer : { fault: `are not there: it answers ${answer.status}` };
    if (answer.fault === 'LATE') return { fault: `take longer than ${PAGE_MS / 1000} s` };
    if (answer.fault === 'LONG') return { fault: `are longer than ${PAGE_BYTES_MAX / 1024 / 1024} MiB` };
    return { fault: 'cannot be read: the connection failed' };
  }

  close(): Promise<void> {
    return this.#connections.destroy();
  }
}

/**
 * A body for undici, with the header that it needs. undici keeps a text until the whole answer has come; of a stream
 * nothing is left once it is sent.
 */
function sendable(json: string): { body: string | Readable; length: string[] } {
  if (json.length <= TEXT_LENGTH_MAX) return { body: json, length: [] };
  let unsent: Buffer | null = Buffer.from(json);
  const length = ['content-length', String(unsent.length)];
  const body = new Readable({
    read() {
      const next = unsent;
      unsent = null;
      this.push(next);
    },
  });
  return { body, length };
}

/** The request body: the caller's fields, overridden by those that the gateway sets. */
function chatBody(config: PodConfig, profile: EngineProfile, request: AttemptRequest): object {
  const body: Record<string, unknown> = {
    ...engineInput(request.generation.body, config.systemPolicy, profile),
    model: config.upstreamModel,
    stream: true,
    // Nothing in JSON, unless it is the field of the cap.
    max_tokens: undefined,
  };
  if (!request.withoutCap) body[config.capField] = request.outputCap;
  if (profile.streamOptions) body.stream_options = usageOptions(config);
  return body;
}

function usageOptions({ continuousUsage }: PodConfig): object {
  return continuousUsage ? { include_usage: true, continuous_usage_stats: true } : { include_usage: true };
}

interface ExchangeOptions extends Pick<AttemptOptions, 'config' | 'request' | 'sink'> {
  readonly options: BackendOptions;
}

/** One request and its answer, as an undici handler. */
class ChatExchange implements Dispatcher.DispatchHandler {
  readonly run: AttemptRun;
  readonly #options: BackendOptions;
  readonly #stream: EventStreamReader;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #arrived: Buffer[] = [];
  #arrivedBytes = 0;
  /** Whether a microtask will read what arrived. */
  #readScheduled = false;
  /** Whether the response may still continue. */
  #responseOpen = true;
  #lingerTimer: Timer | null = null;

  constructor({ config, request, sink, options }: ExchangeOptions) {
    this.#options = options;
    const { clock, onImplausibleUsage, onComplaint } = options;
    const stop = () => this.#stop();
    this.run = new AttemptRun({ config, request, sink, clock, onImplausibleUsage, onComplaint, stop });
    this.#stream = new EventStreamReader((data) => this.run.data(data));
  }

  /** A connection is free and the request goes out. Before this there is no response to abort. */
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
      this.run.fail(`the backend answered with content type ${type.slice(0, CONTENT_TYPE_LENGTH)}`);
  }

  /**
   * undici calls this for each HTTP chunk, and servers write one chunk per event. The chunks of one socket read are
   * joined, so that they become one batch of events.
   */
  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.run.over) return;
    this.#arrived.push(bytes);
    this.#arrivedBytes += bytes.length;
    if (this.#status !== 200) {
      if (this.#arrivedBytes > ERROR_BODY_BYTES_MAX) this.#answerRefusal(true);
    } else if (!this.#readScheduled) {
      this.#readScheduled = true;
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
    this.run.guard(() => this.#stream.end());
    this.run.closed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#responseOver();
    this.#readArrived();
    // The status is enough when only the body that explains it is lost.
    if (this.#status !== 0 && this.#status !== 200) this.#answerRefusal(false);
    if (codeOf(error) === 'ECONNREFUSED') this.#options.onConnectionRefused();
    this.run.closed(`the connection failed: ${codeOf(error)}`);
  }

  #readArrived(): void {
    this.#readScheduled = false;
    if (this.run.over || this.#arrived.length === 0 || this.#status !== 200) return;
    const [first] = this.#arrived;
    const bytes = first && this.#arrived.length === 1 ? first : Buffer.concat(this.#arrived, this.#arrivedBytes);
    this.#arrived = [];
    this.#arrivedBytes = 0;
    this.run.guard(() => this.#stream.feed(bytes));
    this.run.deliver();
    if (this.run.over && this.#responseOpen)
      this.#lingerTimer = this.#options.clock.after(LINGER_MS, () => this.#stop());
  }

  #responseOver(): void {
    this.#responseOpen = false;
    this.#lingerTimer?.cancel();
  }

  #answerRefusal(stop: boolean): void {
    const status = this.#status;
    const complaint = this.#complaint();
    if (isRefusal(status, complaint)) this.run.refuse(complaint, stop);
    else if (status === 429 || status === 503) this.run.end({ kind: 'no-slot' }, stop);
    else this.run.fail(`the backend answered ${status}${hintOf(status)}`, { said: complaint.message, stop });
  }

  #complaint(): Complaint {
    const text = Buffer.concat(this.#arrived, this.#arrivedBytes).toString();
    try {
      return complaintOf(JSON.parse(text));
    } catch {
      return complaintOf(text);
    }
  }

  #stop(): void {
    this.#controller?.abort(new Error('the attempt was stopped'));
  }
}

/** The usual cause of a status, for the log. */
function hintOf(status: number): string {
  if (status === 404) return ' (does the url of the pod end in /v1, and does it know the model by this name?)';
  return status === 401 || status === 403 ? ' (does api_key_env name its key?)' : '';
}
