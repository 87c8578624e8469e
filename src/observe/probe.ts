/**
 * Probes: at every interval a real completion for each model, on the house account and through the whole pipeline. A
 * probe bids the published level and waits at most the interval, so it neither displaces customers nor piles up. The
 * market excludes house orders from targets, rates and statistics. Time in the queue is demand, the rest is health, and
 * a probe that did not run only because of demand is not a failure. Nothing is recorded before a model's first answer.
 * Spec 4.9.
 */
import { type Clock, every, type Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { OrderEnd, OrderPort, Ticket } from '#orders/order-port.ts';
import type { Customer, InferenceRequest } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import type { ProbeResult, ProbeStore } from './ports.ts';

interface ProberOptions {
  readonly orders: Pick<OrderPort, 'submit'>;
  /** The gateway's own account. */
  readonly houseId: string;
  readonly ready: Pick<ReadyView, 'probed' | 'answered' | 'degraded'>;
  readonly market: MarketView;
  readonly store: Pick<ProbeStore, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs: number;
  /** Whether this gateway does the work now: only one gateway of a cluster does it. Always true when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** Enough for any model to answer, and cheap for the pods. */
const OUTPUT_CAP = 8;
const GENERATION = measuredRequest({ messages: [{ role: 'user', content: 'Reply with the word ready.' }] });

/** Sends the probes, one at a time for each model. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #timer: Timer;
  /** The models with a probe in progress. */
  readonly #running = new Set<string>();
  readonly #recording = new Set<Promise<void>>();
  #stopped = false;

  /** Starts at the next multiple of the interval. */
  constructor(options: ProberOptions) {
    this.#options = options;
    this.#timer = every(options.clock, options.intervalMs, () => this.#probeAll());
  }

  /** Sends no more probes, and records none that end later: a gateway that stops is not a failing one. */
  stop(): void {
    this.#stopped = true;
    this.#timer.cancel();
  }

  /** Resolves when all results are recorded. Call `stop` first. */
  async idle(): Promise<void> {
    await Promise.all(this.#recording);
  }

  #probeAll(): void {
    if (this.#options.mayRun?.() === false) return;
    for (const listing of this.#options.ready.probed()) {
      if (this.#running.has(listing.id)) continue;
      this.#running.add(listing.id);
      void this.#probe(listing).finally(() => this.#running.delete(listing.id));
    }
  }

  async #probe(listing: Listing): Promise<void> {
    const { clock, log, ready } = this.#options;
    const atMs = clock.nowMs();
    const { ticket, end } = await this.#send(listing);
    if (this.#stopped) return;
    const allMs = Math.max(0, clock.nowMs() - atMs);
    const admittedAtMs = ticket?.admittedAtMs ?? 0;
    const queueMs = admittedAtMs === 0 ? allMs : Math.min(allMs, Math.max(0, admittedAtMs - atMs));
    const times = { queueMs, pipelineMs: allMs - queueMs };
    const result = { model: listing.id, atMs, outcome: this.#outcome(listing, ticket, end), ...times };
    if (result.outcome === 'failed') log.warn({ ...result, reason: reasonOf(end) }, 'A probe failed.');
    if (ready.answered(listing.id)) await this.#record(result);
  }

  async #record(result: ProbeResult): Promise<void> {
    const recording = this.#options.store
      .record(result)
      .catch((error) => this.#options.log.error({ model: result.model, err: error }, 'A probe could not be recorded.'));
    this.#recording.add(recording);
    await recording;
    this.#recording.delete(recording);
  }

  /** Waits for the end of a probe. `end` is an Error if no order was created. */
  async #send(listing: Listing): Promise<{ ticket: Ticket | null; end: OrderEnd | Error }> {
    try {
      const submission = await this.#options.orders.submit(this.#customer(), this.#request(listing));
      if (submission.type !== 'order') throw new Error('a probe was treated as a repeat of another one');
      const { ticket } = submission;
      const end = await new Promise<OrderEnd>((ended) => ticket.watch({ events() {}, ended }));
      return { ticket, end };
    } catch (error) {
      return { ticket: null, end: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  #outcome({ id }: Listing, ticket: Ticket | null, end: OrderEnd | Error): ProbeResult['outcome'] {
    if (end instanceof Error || ticket === null) return 'failed';
    if (end.status === 'done') return 'done';
    const neverRan = ticket.admittedAtMs === 0;
    return end.status === 'expired' && neverRan && !this.#options.ready.degraded(id) ? 'crowded' : 'failed';
  }

  #customer(): Customer {
    return {
      accountId: this.#options.houseId,
      keyId: null,
      readsOwn: false,
      limitFor: () => null,
      priceLock: false,
      orderTimeoutS: this.#waitS(),
      retentionDays: 0,
      logPayloads: false,
      house: true,
    };
  }

  #request(listing: Listing): InferenceRequest {
    return {
      kind: 'chat',
      model: listing.id,
      stream: false,
      outputCap: OUTPUT_CAP,
      generation: GENERATION,
      extensions: {
        limit: this.#options.market.current(listing.id)?.level ?? null,
        maxChargeNano: null,
        priceLock: false,
        maxWaitS: this.#waitS(),
        detached: false,
        store: false,
        retentionDays: null,
      },
      askedBy: null,
      idempotency: null,
    };
  }

  /** A second less than the interval, so that an expired probe is gone when the next one is due. */
  #waitS(): number {
    return Math.max(1, Math.floor(this.#options.intervalMs / 1000) - 1);
  }
}

function reasonOf(end: OrderEnd | Error): string {
  if (end instanceof Error) return end.message;
  return end.status === 'done' ? 'done' : end.fault.code;
}

/** Used by probes, uptime, statistics and the catalog. */
export type ReadyView = ReturnType<typeof readyView>;

/** What the view combines. */
interface ReadyOptions {
  readonly listings: Listings;
  readonly pods: {
    counts(): readonly { readonly model: string; readonly healthy: boolean }[];
    /** Whether a pod of the model has completed an answer. */
    answered(model: string): boolean;
  };
  /** The models that answered before this process started. */
  readonly answeredBefore: ReadonlySet<string>;
  readonly probing: boolean;
}

/**
 * Which models are offered, and which can be served now, computed on each call. A model that has never answered is neither
 * ready nor down: its pods may still be loading, or their address may be wrong. From its first answer on it is measured,
 * and if all its pods are down it is still probed, and fails. Spec 4.9.
 */
export function readyView({ listings, pods, answeredBefore, probing }: ReadyOptions) {
  const onSale = () => listings.all.filter(({ preview, deprecated }) => !preview && !deprecated);
  const healthyModels = () => new Set(pods.counts().flatMap(({ model, healthy }) => (healthy ? [model] : [])));
  const answered = (model: string) => answeredBefore.has(model) || pods.answered(model);
  const probed = (): readonly Listing[] => {
    const [models, healthy] = [new Set(pods.counts().map(({ model }) => model)), healthyModels()];
    return onSale().filter(({ id }) => models.has(id) && (answered(id) || healthy.has(id)));
  };
  return {
    /**
     * The models to offer, in the configured order: on sale, with pods, and they have answered. Where nothing is probed,
     * a healthy pod is enough, because the first request is a customer's.
     */
    ready: (): readonly Listing[] => (probing ? probed().filter(({ id }) => answered(id)) : probed()),
    /** The models to probe: those that have answered before, and those with a healthy pod. */
    probed,
    /** Whether the model has ever completed an answer, before this process or in it. Only then do its probes count. */
    answered,
    /** Whether the model has no healthy pod now; never true for a preview. Null: whether this holds for all on sale. */
    degraded(model: string | null): boolean {
      const healthy = healthyModels();
      if (model !== null) return !listings.find(model)?.preview && !healthy.has(model);
      const models = onSale();
      return models.length > 0 && models.every(({ id }) => !healthy.has(id));
    },
  };
}
