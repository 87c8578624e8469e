/**
 * Runs an admitted order on its pod. How the attempt ends decides whether the order is settled, failed or requeued.
 * Output that a caller may have seen is never produced twice; a pod that fails before any output costs the order
 * nothing but time. What a full pod loses of its slots is in `pods/slot-allowance.ts`. docs/lifecycle.md.
 */
import { Fault } from '#base/fault.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { begunAttempt, endedAttempt } from './ended-order.ts';
import { Endings } from './endings.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { AttemptOutcome, OrderStore, PodPort } from './ports.ts';
import type { JsonObject } from './request.ts';

/** How many pod failures an order survives. */
const FAILURES_MAX = 3;

/** What the executor needs besides. */
interface ExecutorOptions extends OrderServiceParts {
  readonly pods: PodPort;
  readonly store: OrderStore;
}

/** Runs admitted orders to their end. */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #endings: Endings;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#endings = new Endings(options);
  }

  /** Sends an order whose admission has committed to its pod. */
  start(order: LiveOrder): void {
    this.#endings.guard(order, () => this.#start(order));
  }

  /** Reports an uncertain charge to callers whose settlement does not commit in time; the settlement goes on. */
  review(): void {
    this.#endings.review();
  }

  #start(order: LiveOrder): void {
    order.moveTo('executing');
    order.startOver();
    if (order.acceptTimedOut) {
      this.#endings.fail(order, 'gateway_unavailable', new Fault('unavailable'));
    } else if (order.callerLeft && !order.row.outlives) {
      this.#endings.fail(order, 'client_closed', new Fault('order_canceled'));
    } else if (order.generation) {
      this.#run(order);
    } else {
      this.#readBack(order);
    }
  }

  #run(order: LiveOrder): void {
    if (order.cutOff) {
      this.#cutOff(order);
      return;
    }
    const { generation, pod, trace } = order;
    if (!generation || pod === null) throw new Error(`order ${order.orderId} was started without an input or a pod`);
    const { attempt } = order;
    const following = trace?.follower?.began(begunAttempt(order, pod)) ?? null;
    const told = trace && following ? { ...trace, context: following.context } : trace;
    const request = { orderId: order.orderId, attempt, model: order.listing.id, pod, generation, trace: told };
    const ended = (outcome: AttemptOutcome) => {
      following?.ended(endedAttempt(order, outcome));
      this.#endings.guard(order, () => this.#ended(order, outcome));
    };
    try {
      const sink = { events: (batch: readonly GenerationEvent[]) => this.#produced(order, batch), ended };
      order.running = this.#options.pods.execute({ ...request, outputCap: order.outputCap }, sink);
      this.#options.inputs.runs(order);
    } catch (error) {
      this.#options.log.error({ order: order.orderId, err: error }, 'An order could not be sent to its pod.');
      ended({ kind: 'failed', reason: 'the request could not be sent' });
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
      (error) => {
        this.#options.log.error({ order: order.orderId, err: error }, 'The kept input of an order could not be read.');
        this.#unread(order, error);
      },
    );
  }

  /** While the disk fails, an order that needs its file would only be chosen again and again. */
  #unread(order: LiveOrder, error: unknown): void {
    const isDisk = error instanceof Fault && error.code === 'unavailable';
    if (isDisk && !order.row.outlives) this.#endings.fail(order, 'gateway_unavailable', error);
    else this.#podFailed(order, { kind: 'failed', reason: 'its kept input could not be read' });
  }

  #runAgain(order: LiveOrder, body: JsonObject | null): void {
    const { promptBound, promptEstimate } = order.row;
    if (body) {
      order.generation = { body, promptBound, promptEstimate, images: 0 };
      this.#run(order);
    } else {
      this.#endings.fail(order, 'gateway_restarted', new Fault('gateway_restarted'));
    }
  }

  #ended(order: LiveOrder, outcome: AttemptOutcome): void {
    order.running = null;
    // Its slot is given back with its settlement, which may have to wait for its result.
    if (!order.cutOff && (outcome.kind === 'complete' || outcome.kind === 'aborted')) {
      this.#endings.settle(order, outcome);
      return;
    }
    if (order.cutOff) {
      this.#cutOff(order);
      return;
    }
    switch (outcome.kind) {
      case 'refused':
        this.#endings.fail(
          order,
          'model_refused',
          new Fault('model_refused', { message: `The model refused this request: ${outcome.message}` }),
        );
        return;
      case 'no-slot':
      case 'failed':
        this.#podFailed(order, outcome);
    }
  }

  /**
   * The gateway closes. An order that outlives its caller stays as it is: the next process requeues it. Among several
   * gateways it is requeued now, so that its slot is free for another.
   */
  #cutOff(order: LiveOrder): void {
    const fault = new Fault('unavailable', { retryAfterS: 5 });
    if (!order.row.outlives) {
      this.#endings.fail(order, 'gateway_draining', fault);
      return;
    }
    if (this.#options.releaseAfterCommit) {
      this.#requeue(order, false);
      return;
    }
    order.slot?.release('finished');
    this.#options.forget(order);
    order.end({ status: 'error', fault: fault.withOrder(order.orderId) });
  }

  #podFailed(order: LiveOrder, outcome: AttemptOutcome): void {
    const isFailure = outcome.kind === 'failed';
    const cause = isFailure ? outcome.reason : 'the backend has no room (429 or 503)';
    const at = { order: order.orderId, pod: order.pod, attempt: order.attempt, cause };
    this.#options.log.warn(at, isFailure ? 'A pod failed an order.' : 'A pod had no room for an order.');
    const abandoned = order.callerLeft && !order.row.outlives;
    if (order.output.hasOutput || abandoned || (isFailure && order.failures >= FAILURES_MAX)) {
      this.#endings.fail(order, 'backend_error', new Fault('backend_error', { cause }));
    } else {
      this.#requeue(order, isFailure);
    }
  }

  #requeue(order: LiveOrder, isFailure: boolean): void {
    order.startOver();
    order.failures += isFailure ? 1 : 0;
    order.queuedAtMs = this.#options.clock.nowMs();
    // A line waits until its batch expires, however long it ran; for other orders only time in the queue counts.
    if (order.row.batchId === null) order.expiresAtMs += order.queuedAtMs - order.admittedAtMs;
    this.#endings.requeue(order, () => this.#options.requeued(order));
  }
}
