/**
 * Models may write several tool calls at once; the streams of chat, responses and messages have one open at a time,
 * because their clients take what comes as part of the newest, or a change of the index as the end of a call. While a
 * call is incomplete, the events of later blocks are held, in the order in which these blocks began. What is held is at
 * most the answer. Spec 6.2, 6.3, 6.4.
 */
import { JsonNesting } from '#base/exact-json.ts';
import type { GenerationEvent } from '#results/generation.ts';

/** Events that become content; others have no form in these streams. `logprobs` are of its tokens, where they are shown. */
export type ContentEvent = Exclude<GenerationEvent, { readonly type: 'logprobs' | 'finish' }> & {
  readonly logprobs?: readonly unknown[];
};

/** What writes the blocks. */
export interface BlockWriter {
  /** The frames of an event, which closes the open block if it belongs to another. */
  write(event: ContentEvent): string;
}

/** The order of the blocks of one stream. */
export class BlockOrder {
  readonly #writer: BlockWriter;
  /** The call that is written; null while another block is. */
  #call: { readonly index: number; readonly nesting: JsonNesting } | null = null;
  /** The events of each block that cannot be opened yet. */
  readonly #held: ContentEvent[][] = [];
  /** The held calls, by the index of the call. */
  readonly #heldCalls = new Map<number, ContentEvent[]>();

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  /** The frames of the next event and of those that it releases; '' when it is held or has no form here. */
  take(event: GenerationEvent | ContentEvent): string {
    if (event.type === 'logprobs' || event.type === 'finish') return '';
    if (this.#mustWait(event)) {
      this.#hold(event);
      return '';
    }
    return this.#write(event) + this.#release({ all: false });
  }

  /** The frames of everything held, because nothing more comes. */
  rest(): string {
    return this.#release({ all: true });
  }

  #mustWait(event: ContentEvent): boolean {
    return this.#unfinished && (event.type !== 'tool-arguments-delta' || event.index !== this.#call?.index);
  }

  /** Whether no other block may open. */
  get #unfinished(): boolean {
    return this.#call !== null && !this.#call.nesting.closed;
  }

  #write(event: ContentEvent): string {
    if (event.type === 'tool-arguments-delta') {
      // Text after complete arguments is written only while no other block has begun.
      if (this.#call?.index !== event.index) return '';
      this.#call.nesting.add(event.fragment);
    } else {
      this.#call = event.type === 'tool-call' ? { index: event.index, nesting: new JsonNesting() } : null;
    }
    return this.#writer.write(event);
  }

  #hold(event: ContentEvent): void {
    if (event.type === 'tool-arguments-delta') {
      this.#heldCalls.get(event.index)?.push(event);
      return;
    }
    const last = this.#held.at(-1);
    if (event.type !== 'tool-call' && last?.[0]?.type === event.type) {
      last.push(event);
      return;
    }
    const block: ContentEvent[] = [event];
    this.#held.push(block);
    if (event.type === 'tool-call') this.#heldCalls.set(event.index, block);
  }

  /** Writes held events until a call is incomplete again; all of them when nothing more comes. */
  #release({ all }: { all: boolean }): string {
    let text = '';
    while (all || !this.#unfinished) {
      const block = this.#held.shift();
      if (!block) break;
      for (const event of block) text += this.#write(event);
    }
    return text;
  }
}
