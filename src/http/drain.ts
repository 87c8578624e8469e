/** Counts running replies, for which a drain waits, and knows whether the process is leaving, draining or about to end. */
export class ReplyDrain {
  #running = 0;
  #leaving = false;
  #draining = false;
  #refusing = false;
  readonly #waiting: (() => void)[] = [];

  /** Counts a new request; each is followed by one `end`. */
  begin(): void {
    this.#running++;
  }

  /** The reply is complete, or its caller has disconnected. */
  end(): void {
    this.#running--;
    if (this.#running === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** From now on `/healthz` says that it drains, for load balancers; everything is still taken. */
  startLeaving(): void {
    this.#leaving = true;
  }

  /** From now on inference is refused with 503, and connections are closed after their reply. */
  startDraining(): void {
    this.#leaving = true;
    this.#draining = true;
  }

  /** From now on everything is refused with 503: the gateway has lost its database. */
  startRefusing(): void {
    this.startDraining();
    this.#refusing = true;
  }

  /** Whether load balancers should send nothing more. True while draining. */
  get leaving(): boolean {
    return this.#leaving;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get refusing(): boolean {
    return this.#refusing;
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves when no reply is running; at once when none is. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
