/** How many replies are running, and whether the process still wants new work: what a drain waits for. */
export class Traffic {
  #running = 0;
  #draining = false;
  readonly #waiting: (() => void)[] = [];

  /** Counts a request that came in; each is followed by one `end`. */
  begin(): void {
    this.#running++;
  }

  /** The reply was written whole, or nobody is there to read it. */
  end(): void {
    this.#running--;
    if (this.#running === 0) for (const tell of this.#waiting.splice(0)) tell();
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

  /** Resolves when no reply is running; at once when that is so now. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
