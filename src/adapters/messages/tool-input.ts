/**
 * The arguments of a tool call, which a model writes as text and this shape promises as a JSON object. Only the object
 * itself is sent: text before or after it would break the JSON that clients assemble from the fragments. Spec 2.9,
 * 6.4.
 */
import { JsonNesting } from '#base/exact-json.ts';
import type { JsonObject } from '#orders/request.ts';
import { isObject } from '../common/fields.ts';

const BRACE = 0x7b;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Reads the arguments of one call, fragment by fragment. */
export class ToolInputReader {
  #state: 'before' | 'within' | 'after' = 'before';
  #begun = false;
  readonly #nesting = new JsonNesting();

  /** Whether the input can no longer change: the object is complete, or there will be none. */
  get whole(): boolean {
    return this.#state === 'after';
  }

  /** The part of a fragment that belongs to the object, '' for none. */
  take(fragment: string): string {
    let from = 0;
    if (this.#state === 'before') {
      from = firstLetter(fragment);
      if (from < fragment.length) this.#state = fragment.charCodeAt(from) === BRACE ? 'within' : 'after';
    }
    if (this.#state !== 'within') return '';
    this.#begun = true;
    const to = this.#nesting.addUntilClosed(fragment, from);
    if (this.#nesting.closed) this.#state = 'after';
    return fragment.slice(from, to);
  }

  /** What must still be sent at the end: `{}` for a call without an object. */
  end(): string {
    return this.#begun ? '' : '{}';
  }
}

/** The input of a complete call. `{}` when the arguments contain no object, or an incomplete one. */
export function toolInput(written: string): JsonObject {
  try {
    const input: unknown = JSON.parse(new ToolInputReader().take(written) || '{}');
    return isObject(input) ? input : {};
  } catch {
    // An error of the model, or its output cap: the stop_reason says which.
    return {};
  }
}

function firstLetter(text: string): number {
  let place = 0;
  while (place < text.length && SPACES.has(text.charCodeAt(place))) place++;
  return place;
}
