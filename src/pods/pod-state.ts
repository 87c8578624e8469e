/** One pod as the operator sees it. In a cluster each gateway has its own view: what it sent there, and what it heard. */
import type { PodFigures } from './pod-work.ts';

/** A pod now. */
export interface PodState extends PodFigures {
  readonly model: string;
  readonly pod: string;
  /** The base address, which never has a password; null for a simulated pod. */
  readonly url: string | null;
  readonly healthy: boolean;
  /** Why it is healthy or not, and since when (epoch milliseconds); null before its first ping was answered or missed. */
  readonly reason: string | null;
  readonly sinceMs: number | null;
  readonly slots: {
    readonly configured: number;
    /** What is offered now: fewer for a while after the pod said that it has no room. */
    readonly allowed: number;
    /** Attempts of this gateway that run there now. */
    readonly busy: number;
  };
}
