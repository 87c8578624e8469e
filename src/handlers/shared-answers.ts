/**
 * Answers that are the same for everyone. Each is built once, however many ask, and shared until it is too old. The
 * caller keeps the number of names bounded: it only names what is in the configuration.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#base/clock.ts';
import { type Rendered, rendered } from '#contract/reply.ts';
import { type ConditionalReply, conditionalReply, tagOf } from './conditional.ts';

interface SharedAnswer<Json> {
  readonly bytes: Rendered<Json>;
  readonly etag: string;
  readonly untilMs: number;
}

/** Shared answers of one type by name. */
export class SharedAnswers<Json> {
  readonly #clock: Clock;
  readonly #ageS: number;
  readonly #answers = new Map<string, SharedAnswer<Json>>();
  /** At most one for each name, which all that ask meanwhile wait for. */
  readonly #building = new Map<string, Promise<SharedAnswer<Json>>>();

  /** An answer is built anew `ageS` seconds after the last one. */
  constructor(clock: Clock, ageS: number) {
    this.#clock = clock;
    this.#ageS = ageS;
  }

  /**
   * The answer of this name, which `build` returns as JSON. Rejects with what `build` throws; whoever asks after that
   * makes it try again.
   */
  async reply(headers: IncomingHttpHeaders, name: string, build: () => Promise<Json>): Promise<ConditionalReply<Json>> {
    const kept = this.#answers.get(name);
    const leftMs = kept ? kept.untilMs - this.#clock.monotonicMs() : 0;
    const answer = kept && leftMs > 0 ? kept : await this.#build(name, build);
    const maxAgeS = Math.max(1, Math.ceil((answer.untilMs - this.#clock.monotonicMs()) / 1000));
    return conditionalReply(headers, { raw: answer.bytes, etag: answer.etag, maxAgeS, shared: true });
  }

  #build(name: string, build: () => Promise<Json>): Promise<SharedAnswer<Json>> {
    const building = this.#building.get(name);
    if (building) return building;
    const untilMs = this.#clock.monotonicMs() + this.#ageS * 1000;
    const begun = build()
      .then((json) => {
        const bytes = Buffer.from(rendered(json)) as Uint8Array as Rendered<Json>;
        const answer = { bytes, etag: tagOf(bytes), untilMs };
        this.#answers.set(name, answer);
        return answer;
      })
      .finally(() => this.#building.delete(name));
    this.#building.set(name, begun);
    return begun;
  }
}
