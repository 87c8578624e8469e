/** Pods whose attempts a test ends by hand. */
import type { Attempt, AttemptOutcome, AttemptRequest, AttemptSink, PodPort } from '#orders/ports.ts';
import type { FinishReason, GenerationEvent, ReportedUsage } from '#results/generation.ts';

/** One attempt, controlled by the test. */
export class ScriptedAttempt implements Attempt {
  readonly request: AttemptRequest;
  readonly #sink: AttemptSink;
  aborted = false;
  ended = false;

  constructor(request: AttemptRequest, sink: AttemptSink) {
    this.request = request;
    this.#sink = sink;
  }

  abort(): void {
    if (this.aborted || this.ended) return;
    this.aborted = true;
    queueMicrotask(() => this.end({ kind: 'aborted', usage: null }));
  }

  say(...texts: string[]): this {
    this.#sink.events(texts.map((text): GenerationEvent => ({ type: 'text-delta', text })));
    return this;
  }

  /** Finishes with these counts; null: without usage. `chunks`: the chunks that were counted. */
  finish(
    usage: Partial<ReportedUsage> | null = {},
    { reason = 'stop', ...chunks }: { readonly outputChunks?: number; readonly reason?: FinishReason } = {},
  ): void {
    this.#sink.events([{ type: 'finish', reason, stopSequence: null }]);
    const counts = { promptTokens: 10, cachedTokens: 0, outputTokens: 5, reasoningTokens: null };
    this.end({ kind: 'complete', usage: usage === null ? null : { ...counts, ...usage }, ...chunks });
  }

  end(outcome: AttemptOutcome): void {
    if (this.ended) return;
    this.ended = true;
    this.#sink.ended(outcome);
  }
}

/** Collects attempts. */
export class ScriptedPods implements PodPort {
  readonly attempts: ScriptedAttempt[] = [];

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const attempt = new ScriptedAttempt(request, sink);
    this.attempts.push(attempt);
    return attempt;
  }

  /** The newest attempt. */
  get last(): ScriptedAttempt {
    const attempt = this.attempts.at(-1);
    if (!attempt) throw new Error('no attempt has started');
    return attempt;
  }
}
