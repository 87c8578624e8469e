/**
 * Runs an admitted order on its pod. How the attempt ends decides whether the order is settled, failed or requeued.
 * Output that a caller may have seen is never produced twice; a pod that fails before any output costs the order
 * nothing but time. What a full pod loses of its slots is in `pods/full-pod-backoff.ts`. docs/understand/lifecycle.md.
 */
import { Fault } from '#base/fault.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { begunAttempt, endedAttempt, observed } from './ended-order.ts';
import { Endings } from './endings.ts';
import { type LiveOrder, restCommand } from './live-order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { AttemptOutcome, OrderStore, PodPort } from './ports.ts';
import type { GenerationRequest, JsonObject } from './request.ts';
import type { Stop } from './stops.ts';
import { overfullContext, passesCapOn } from './terms.ts';

/** How many pod failures an order survives. */
const FAILURES_MAX = 3;
/** How long an order waits that outlives its caller, when its input could not be read: doubled each time, up to a minute. */
const UNREAD_MS = 1_000;
const UNREAD_MS_MAX = 60_000;

/** What the executor needs besides. */
interface ExecutorOptions extends OrderServiceParts {
  readonly pods: PodPort;
  readonly store: OrderStore;
}

/** Runs admitted orders to their end. */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #endings: Endings;
  /** Orders that wait outside their books because their inputs could not be read, and until when. */
  readonly #unread = new Map<LiveOrder, number>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#endings = new Endings(options);
  }

  /** Sends an order whose admission has committed to its pod. */
  start(order: LiveOrder): void {
    this.#endings.guard(order, () => {
      order.moveTo('executing');
      order.startOver();
      if (this.#stops(order)) return;
      if (order.generation) this.#run(order, order.generation);
      else this.#readBack(order);
    });
  }

  /**
   * Reports an uncertain charge to callers whose settlement does not commit in time; the settlement goes on. Orders
   * whose pause is over rest again.
   */
  review(): void {
    this.#endings.review();
    const nowMs = this.#options.clock.monotonicMs();
    for (const [order, untilMs] of this.#unread) {
      if (untilMs > nowMs && order.phase === 'queued') continue;
      this.#unread.delete(order);
      if (order.phase !== 'queued') continue;
      order.heldBack = null;
      this.#options.sendCommand(restCommand(order));
    }
  }

  /** Whether the order must not run; it then ends. */
  #stops(order: LiveOrder): boolean {
    const stop = this.#options.stops.mustStop(order);
    if (stop?.error === 'gateway_draining') this.#cutOff(order, stop);
    else if (stop) this.#endings.fail(order, stop);
    return stop !== null;
  }

  #run(order: LiveOrder, generation: GenerationRequest): void {
    const { orderId, pod, trace, attempt, outputCap } = order;
    if (pod === null) throw new Error(`order ${orderId} was started without a pod`);
    const { log, inputs, pods } = this.#options;
    const following = observed(log, order, () => trace?.follower?.began(begunAttempt(order, pod)));
    const told = trace && following ? { ...trace, context: following.context } : trace;
    const { listing, row } = order;
    const withoutCap = !passesCapOn(generation, { ...row, outputCap }, listing);
    const { silentMs } = order;
    const request = {
      orderId,
      attempt,
      model: listing.id,
      pod,
      generation,
      outputCap,
      silentMs,
      withoutCap,
      trace: told,
    };
    const startMs = this.#options.clock.monotonicMs();
    const isOver = () => order.attempt !== attempt || order.phase !== 'executing';
    const sink = {
      events: (batch: readonly GenerationEvent[]) => {
        if (!isOver()) this.#produced(order, batch);
      },
      ended: (outcome: AttemptOutcome) => {
        if (isOver()) return;
        if (outcome.kind === 'failed') order.silentMs += this.#options.clock.monotonicMs() - startMs;
        observed(log, order, () => following?.ended(endedAttempt(order, outcome)));
        this.#endings.guard(order, () => this.#ended(order, outcome));
      },
    };
    try {
      inputs.runs(order);
      order.running = pods.execute(request, sink);
    } catch (error) {
      log.error({ order: orderId, err: error }, 'An order could not be sent to its pod.');
      sink.ended({ kind: 'failed', reason: 'the request could not be sent' });
    }
  }

  #produced(order: LiveOrder, batch: readonly GenerationEvent[]): void {
    order.produce(batch);
    if (order.firstOutputAtMs === 0 && order.output.hasOutput) order.firstOutputAtMs = this.#options.clock.nowMs();
    if (order.input && order.output.hasOutput) this.#options.inputs.outputBegan(order);
  }

  #readBack(order: LiveOrder): void {
    const { inputs, store } = this.#options;
    const input = inputs.read(order);
    if (input !== null && !(input instanceof Promise)) {
      this.#runAgain(order, input);
      return;
    }
    Promise.try(() => input ?? store.body(order.orderId)).then(
      (body) => this.#endings.guard(order, () => this.#runAgain(order, body)),
      (error) => this.#endings.guard(order, () => this.#notRead(order, error)),
    );
  }

  #runAgain(order: LiveOrder, body: JsonObject | null): void {
    if (this.#stops(order)) return;
    order.unreadTimes = 0;
    const { promptBound, promptEstimate } = order.row;
    if (body) this.#run(order, { body, promptBound, promptEstimate });
    else this.#endings.fail(order, { error: 'gateway_restarted', fault: new Fault('gateway_restarted') });
  }

  /** The storage may recover: what outlives its caller waits for that, outside its book, until it expires. */
  #notRead(order: LiveOrder, error: unknown): void {
    this.#options.log.error({ order: order.orderId, err: error }, 'The kept input of an order could not be read.');
    if (this.#stops(order)) return;
    if (order.row.outlives) {
      const pauseMs = Math.min(UNREAD_MS_MAX, UNREAD_MS * 2 ** order.unreadTimes++);
      this.#requeue(order, () => {
        order.heldBack = { payer: null, hold: 0n };
        this.#unread.set(order, this.#options.clock.monotonicMs() + pauseMs);
      });
    } else if (error instanceof Fault && error.code === 'unavailable') {
      this.#endings.fail(order, { error: 'gateway_unavailable', fault: error });
    } else {
      const fault = new Fault('input_unreadable', { cause: error });
      this.#endings.fail(order, { error: 'input_unreadable', fault });
    }
  }

  #ended(order: LiveOrder, outcome: AttemptOutcome): void {
    order.running = null;
    if (this.#options.stops.closing === 'cut-off' && this.#stops(order)) return;
    switch (outcome.kind) {
      case 'complete':
      case 'aborted':
        // Its slot is given back with its settlement, which may have to wait for its result.
        this.#endings.settle(order, outcome);
        return;
      case 'refused': {
        const fault = refusalOf(order, outcome);
        this.#endings.fail(order, { error: fault.code, fault });
        return;
      }
      case 'no-slot':
      case 'failed':
        this.#podFailed(order, outcome);
    }
  }

  /**
   * The gateway closes. An order that outlives its caller stays as it is and keeps its slot: the next process requeues it.
   * Among several gateways it is requeued now, so that its slot is free for another.
   */
  #cutOff(order: LiveOrder, stop: Stop): void {
    if (!order.row.outlives) {
      this.#endings.fail(order, stop);
      return;
    }
    if (this.#options.releaseAfterCommit) {
      this.#requeue(order);
      return;
    }
    this.#options.forget(order);
    order.end({ status: 'error', fault: stop.fault.withOrder(order.orderId) });
  }

  #podFailed(order: LiveOrder, outcome: AttemptOutcome): void {
    const isFailure = outcome.kind === 'failed';
    const cause = isFailure ? outcome.reason : 'the backend has no room (429 or 503)';
    const at = { order: order.orderId, pod: order.pod, attempt: order.attempt, cause };
    this.#options.log.warn(at, isFailure ? 'A pod failed an order.' : 'A pod had no room for an order.');
    const isLast = isFailure && (outcome.last === true || order.failures >= FAILURES_MAX);
    if (order.output.hasOutput || isLast) {
      this.#endings.fail(order, { error: 'backend_error', fault: new Fault('backend_error', { cause }) });
    } else if (!this.#stops(order)) {
      if (isFailure) order.retried();
      this.#requeue(order);
    }
  }

  #requeue(order: LiveOrder, beforeItRejoins = () => {}): void {
    order.startOver();
    order.queuedAtMs = this.#options.clock.nowMs();
    // A line waits until its batch expires, however long it ran; for other orders only time in the queue counts.
    if (order.row.batchId === null) order.expiresAtMs += order.queuedAtMs - order.admittedAtMs;
    this.#endings.requeue(order, () => {
      beforeItRejoins();
      this.#options.requeued(order);
    });
  }
}

/** Counts that the pod omits about an overfull context are filled in: the estimate, and the context of the listing. */
function refusalOf({ row, kind, listing }: LiveOrder, outcome: Extract<AttemptOutcome, { kind: 'refused' }>): Fault {
  const { message, overfull } = outcome;
  if (!overfull) return new Fault('model_refused', { message: `The model refused this request: ${message}` });
  const { prompt = row.promptEstimate, output = null, limit = listing.contextLength } = overfull;
  return overfullContext({ prompt, output, limit }, kind);
}
