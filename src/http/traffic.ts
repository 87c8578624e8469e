/** Counts running replies, for which a drain waits, and knows whether the process is draining. */
export class Traffic {
  #running = 0;
  #draining = false;
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

  /** From now on inference is refused with 503, and connections are closed after their reply. */
  startDraining(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
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
