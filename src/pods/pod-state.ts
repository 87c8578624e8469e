/** One pod as the operator sees it. In a cluster each gateway has its own view: what it sent there, and what it heard. */
import type { PodSetting } from '#orders/ports.ts';
import type { PodFigures } from './pod-work.ts';
import type { SlotBounds } from './slot-control.ts';

/** A pod now. */
export interface PodState extends PodFigures {
  readonly model: string;
  readonly pod: string;
  /** The base address, which never has a password; null for a simulated pod. */
  readonly url: string | null;
  /** Whether an operator added it; the file does not have it. */
  readonly added: boolean;
  readonly healthy: boolean;
  /** Why it is healthy or not, and since when (epoch milliseconds); null before its first ping was answered or missed. */
  readonly reason: string | null;
  readonly sinceMs: number | null;
  /** Whether it gets no new orders, and since when (epoch milliseconds); null while it gets them. */
  readonly draining: boolean;
  readonly drainingSinceMs: number | null;
  readonly slots: {
    /** As the operator set them, or else as the engine allows, or as configured. */
    readonly configured: number;
    /** What is offered now: fewer for a while after the pod said that it has no room, and none while it drains. */
    readonly allowed: number;
    /** Attempts of this gateway that run there now. */
    readonly busy: number;
    /** The bounds of slots that follow the engine, and whether its metrics cannot be read; null for a fixed number. */
    readonly auto: (SlotBounds & { readonly blind: boolean }) | null;
  };
}

/** What an operator has to know of a pod first. Only a healthy one gets orders. */
export type PodStanding = 'healthy' | 'unhealthy' | 'draining' | 'drained';

/** The standing of a pod. A drained one is drained, however its health is. */
export function podStanding({
  healthy,
  draining,
  slots,
}: Pick<PodState, 'healthy' | 'draining' | 'slots'>): PodStanding {
  if (draining) return slots.busy > 0 ? 'draining' : 'drained';
  return healthy ? 'healthy' : 'unhealthy';
}

/** A pod, and what the operator set of it. */
export interface PodView {
  readonly state: PodState;
  readonly setting: PodSetting;
}

/** Looks at pods and sets them while the gateway runs. */
export interface PodControl {
  /** The pod with this id; null for none. */
  find(id: string): PodView | null;
  /**
   * Sets a pod that there is. Rejects with Fault `unavailable` where another gateway decides about it and cannot be
   * reached; it may then be set all the same, and can be set again.
   */
  set(pod: PodState, setting: PodSetting): Promise<void>;
}
