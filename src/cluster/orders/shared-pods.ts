/**
 * What gateways tell each other about pods. What the operator sets while gateways run is known to all of them: the owner
 * of a market decides about its pods, and any gateway may own it next. The newest setting of a pod wins. Nothing is
 * stored: it lasts as long as one gateway that knows it, which sends it to each that it meets. What a gateway learns of a pod
 * while it runs orders there goes to the owner of the market alone; a report that does not arrive is lost.
 */
import type { Clock } from '#base/clock.ts';
import type { PodReport, PodSetting } from '#orders/ports.ts';
import type { GatewayId } from '../messages.ts';
import { type Calls, unreachable } from '../peers/calls.ts';

const SET = 'pods.set';
const ENDED = 'pod.ended';

/** A setting of a pod, and when it was made. */
interface Stamped extends PodSetting {
  readonly pod: string;
  readonly atMs: number;
}

interface SharedPodsOptions {
  readonly self: GatewayId;
  readonly clock: Clock;
  readonly calls: Pick<Calls, 'call' | 'handle' | 'meet' | 'gateways'>;
  /** The gateway that owns the market of a model; null for none. */
  readonly ownerOf: (model: string) => GatewayId | null;
  /** Sets a pod of this gateway, if it has one with this id. */
  readonly apply: (pod: string, setting: PodSetting) => void;
  /** Takes reports of other gateways about pods of markets that this gateway owns. */
  readonly reported: (report: PodReport) => void;
}

/** The pods of all gateways; one object a gateway, because it also answers the others. */
export class SharedPods {
  readonly #options: SharedPodsOptions;
  readonly #settings = new Map<string, Stamped>();

  constructor(options: SharedPodsOptions) {
    this.#options = options;
    const { self, calls, ownerOf, reported } = options;
    calls.handle(ENDED, async (params) => {
      const report = params as PodReport;
      if (ownerOf(report.model) === self) reported(report);
    });
    calls.handle(SET, async (params) => this.#take(params as readonly Stamped[]));
    calls.meet((gateway) => this.#tell(gateway, [...this.#settings.values()]).catch(() => {}));
  }

  /**
   * Sets a pod here and everywhere. Rejects with Fault `unavailable` unless the owner of its market has taken it, where
   * there is one: what other gateways missed they receive when they are met again.
   */
  async set(model: string, pod: string, { draining, slots }: PodSetting): Promise<void> {
    const { self, clock, calls, ownerOf } = this.#options;
    const atMs = Math.max(clock.nowMs(), (this.#settings.get(pod)?.atMs ?? 0) + 1);
    const stamped = [{ pod, draining, slots, atMs }];
    this.#take(stamped);
    const told = new Map(calls.gateways.map((gateway) => [gateway, this.#tell(gateway, stamped)]));
    for (const answer of told.values()) answer.catch(() => {});
    const owner = ownerOf(model);
    if (owner === null || owner === self) return;
    const answer = told.get(owner);
    if (!answer) throw unreachable(owner);
    await answer;
  }

  /** Passes what was learned about a pod on to the owner of its market, unless that is this gateway. */
  report(report: PodReport): void {
    const { self, calls, ownerOf } = this.#options;
    const owner = ownerOf(report.model);
    if (owner !== null && owner !== self) calls.call(owner, ENDED, report).catch(() => {});
  }

  async #tell(gateway: GatewayId, settings: readonly Stamped[]): Promise<void> {
    if (settings.length > 0) await this.#options.calls.call(gateway, SET, settings);
  }

  #take(settings: readonly Stamped[]): void {
    for (const setting of settings) {
      if (setting.atMs <= (this.#settings.get(setting.pod)?.atMs ?? Number.NEGATIVE_INFINITY)) continue;
      this.#settings.set(setting.pod, setting);
      this.#options.apply(setting.pod, { draining: setting.draining, slots: setting.slots });
    }
  }
}
