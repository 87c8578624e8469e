/** A text completion as a stream of chunks. Spec 6.2. */
import type { Generation, GenerationEvent } from '#results/generation.ts';
import { ChunkStream } from '../common/chunk-stream.ts';
import type { OrderFacts } from '../common/wire-shape.ts';
import type { CompletionEcho } from './request.ts';
import { completionFinish, completionHead } from './response.ts';

/** The stream; the shape has no field for reasoning and calls. */
export class CompletionStream extends ChunkStream {
  constructor(order: OrderFacts, { includeUsage }: CompletionEcho) {
    super(order, completionHead(order), includeUsage);
  }

  events(batch: readonly GenerationEvent[]): string {
    this.begun = true;
    let text = '';
    for (const event of batch) if (event.type === 'text-delta') text += this.#chunk(JSON.stringify(event.text), 'null');
    return text;
  }

  protected finish({ finishReason }: Generation): string {
    return this.#chunk('""', JSON.stringify(completionFinish(finishReason)));
  }

  /** Both arguments are JSON. */
  #chunk(text: string, finish: string): string {
    return `${this.head}{"index":0,"text":${text},"finish_reason":${finish},"logprobs":null}]${this.tail}`;
  }
}
