/**
 * The slots of one market: how many each pod has and how many are held. A pod whose slots shrink below its running
 * orders keeps them; it only gets no new ones. A pod that answers that it has no room (429, 503) is noticed in
 * `pods/backend.ts`; `orders/executor.ts` (`#podFailed`) queues the order again, and `choose` avoids that pod.
 */

interface PodSlot {
  readonly id: string;
  slots: number;
  healthy: boolean;
  held: number;
}

/** Slots by pod. There are few pods, so choosing one scans them all. */
export class PodSlots {
  readonly #pods = new Map<string, PodSlot>();
  #total = 0;
  #free = 0;

  /** Slots of healthy pods. */
  get total(): number {
    return this.#total;
  }

  /** Slots that orders hold, also of pods that are not healthy. */
  get held(): number {
    return [...this.#pods.values()].reduce((sum, pod) => sum + pod.held, 0);
  }

  /** Slots of healthy pods that no order holds. */
  get free(): number {
    return this.#free;
  }

  /** Sets what a pod can run now; `slots` is a whole number from 0. */
  set(id: string, slots: number, healthy: boolean): void {
    const pod = this.#pods.get(id) ?? this.#add(id);
    this.#total += (healthy ? slots : 0) - (pod.healthy ? pod.slots : 0);
    this.#free -= freeOf(pod);
    pod.slots = slots;
    pod.healthy = healthy;
    this.#free += freeOf(pod);
  }

  /** The pod with the smallest share of its slots held; `avoid` only if no other has room. Null when none has. */
  choose(avoid: string | null): string | null {
    let chosen: PodSlot | null = null;
    for (const pod of this.#pods.values()) {
      if (freeOf(pod) > 0 && (!chosen || isBetter(pod, chosen, avoid))) chosen = pod;
    }
    return chosen?.id ?? null;
  }

  /** Also for a pod that is not known yet: its slots count as held once it is added. */
  take(id: string): void {
    this.#hold(this.#pods.get(id) ?? this.#add(id), 1);
  }

  give(id: string): void {
    const pod = this.#pods.get(id);
    if (!pod) throw new Error(`pod ${id} has no slots in this market`);
    this.#hold(pod, -1);
  }

  #hold(pod: PodSlot, by: 1 | -1): void {
    this.#free -= freeOf(pod);
    pod.held += by;
    this.#free += freeOf(pod);
  }

  #add(id: string): PodSlot {
    const pod = { id, slots: 0, healthy: false, held: 0 };
    this.#pods.set(id, pod);
    return pod;
  }
}

function freeOf(pod: PodSlot): number {
  return pod.healthy ? Math.max(0, pod.slots - pod.held) : 0;
}

function isBetter(pod: PodSlot, than: PodSlot, avoid: string | null): boolean {
  if (pod.id === avoid || than.id === avoid) return than.id === avoid;
  return pod.held * than.slots < than.held * pod.slots;
}
