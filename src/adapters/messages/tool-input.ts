/**
 * The arguments of a tool call, which a model writes as text and this shape promises as a JSON object. Only the object
 * itself is sent: text before or after it would break the JSON that clients assemble from the fragments. Spec 2.9,
 * 6.4.
 */
import type { JsonObject } from '#orders/request.ts';
import { isObject } from '../common/fields.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BRACE = 0x7b;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Reads the arguments of one call, fragment by fragment. */
export class ToolInputReader {
  #state: 'before' | 'within' | 'after' = 'before';
  #begun = false;
  #depth = 0;
  #inText = false;
  #escaped = false;

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
    return fragment.slice(from, this.#follow(fragment, from));
  }

  /** What must still be sent at the end: `{}` for a call without an object. */
  end(): string {
    return this.#begun ? '' : '{}';
  }

  /** Scans a fragment; returns the index where the object ends, or the end of the fragment. */
  #follow(fragment: string, from: number): number {
    this.#begun = true;
    for (let place = from; place < fragment.length; place++) {
      const letter = fragment.charCodeAt(place);
      if (this.#inText) this.#followText(letter);
      else if (letter === QUOTE) this.#inText = true;
      else if (OPENING.has(letter)) this.#depth++;
      else if (CLOSING.has(letter) && --this.#depth === 0) {
        this.#state = 'after';
        return place + 1;
      }
    }
    return fragment.length;
  }

  #followText(letter: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (letter === BACKSLASH) this.#escaped = true;
    else if (letter === QUOTE) this.#inText = false;
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
