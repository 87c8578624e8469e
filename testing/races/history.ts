/** What happened in a world, and what was found wrong in it. */

const LINES = 40;

/** Something that must not be; its message has the seed and the last steps. */
export class Finding extends Error {}

/** The last steps of a world. */
export class History {
  readonly #title: string;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  readonly #lines: string[] = [];
  /** The kinds of what has happened. */
  readonly seen = new Set<string>();
  /** What was found first; null while all is well. */
  finding: Finding | null = null;

  constructor(title: string, nowMs: () => number) {
    this.#title = title;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  note(line: string): void {
    if (this.#lines.push(`${this.#nowMs() - this.#startMs} ms: ${line}`) > LINES) this.#lines.shift();
  }

  find(what: string): void {
    this.finding ??= new Finding(`${this.#title}: ${what}\n  ${this.#lines.join('\n  ')}`);
  }

  /** Throws what was found. */
  check(): void {
    if (this.finding) throw this.finding;
  }
}
