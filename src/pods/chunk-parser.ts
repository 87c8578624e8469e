/**
 * JSON.parse for the chunks of one stream. Nearly all of them are the same letters around one string that changes, and
 * parsing the rest over and over was most of what reading a backend cost. So the letters before and after that string
 * are remembered. A chunk that begins and ends with them, and has nothing but the inside of a JSON string between, can
 * only mean the same object with another text; every other chunk is parsed as a whole.
 */
import { BackendFault, checkNesting } from './malformed.ts';

/** A chunk with a hole where its text was. */
interface Form {
  readonly before: string;
  readonly after: string;
  readonly chunk: unknown;
  readonly hole: Hole;
}

/** Where a chunk keeps the text it brings. */
interface Hole {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

/** A form is sought this often in a stream: backends that change more than the text would make it a waste. */
const FORMS_MAX = 8;
/** In UTF-16 units: longer chunks are not those that come by the thousand. */
const FORM_LENGTH_MAX = 4_096;
/** Stands in the hole while a form is tried. */
const PROBE = 'sluice';
/** What may stand in a JSON string as it is. */
const UNESCAPED = /^[^"\\\p{Cc}]*$/u;

/** Parses the chunks of one stream. */
export class ChunkParser {
  #form: Form | null = null;
  #sought = 0;

  /**
   * The chunk, which is good until the next call: it may be the same object with another text. Throws BackendFault when
   * it is not JSON or is nested too deeply.
   */
  parse(data: string): unknown {
    return this.#parseByForm(data) ?? this.#parseWhole(data);
  }

  #parseByForm(data: string): unknown {
    const form = this.#form;
    if (!form) return undefined;
    const { before, after, hole } = form;
    const end = data.length - after.length;
    // Comparing substrings is ten times as fast as `startsWith` on a part of a longer text.
    if (end < before.length || data.substring(0, before.length) !== before || data.substring(end) !== after)
      return undefined;
    const text = stringOf(data.substring(before.length, end));
    if (text === null) return undefined;
    hole.owner[hole.name] = text;
    return form.chunk;
  }

  #parseWhole(data: string): unknown {
    const chunk = parseJson(data);
    if (chunk === undefined) throw new BackendFault('malformed chunk: not JSON');
    checkNesting(chunk, data.length);
    if (this.#sought < FORMS_MAX && data.length <= FORM_LENGTH_MAX) this.#seekForm(data, chunk);
    return chunk;
  }

  #seekForm(data: string, chunk: unknown): void {
    const text = textOf(holeOf(chunk));
    if (text === '') return;
    this.#sought++;
    const written = JSON.stringify(text);
    const place = data.lastIndexOf(written);
    if (place < 0) return;
    const before = data.slice(0, place + 1);
    const after = data.slice(place + written.length - 1);
    // The same text may stand elsewhere in the chunk, so the place is tried.
    const tried = parseJson(`${before}${PROBE}${after}`);
    const hole = holeOf(tried);
    if (hole && textOf(hole) === PROBE) this.#form = { before, after, chunk: tried, hole };
  }
}

/** The string with this inside; null when it is not the inside of one. */
function stringOf(inside: string): string | null {
  if (UNESCAPED.test(inside)) return inside;
  const value = parseJson(`"${inside}"`);
  return typeof value === 'string' ? value : null;
}

/** Where a chunk has text; null when nowhere. */
function holeOf(chunk: unknown): Hole | null {
  const delta = inner(inner(inner(chunk, 'choices'), 0), 'delta');
  for (const name of ['content', 'reasoning_content', 'reasoning']) {
    if (delta && textOf({ owner: delta, name }) !== '') return { owner: delta, name };
  }
  const called = inner(inner(inner(delta, 'tool_calls'), 0), 'function');
  return called && { owner: called, name: 'arguments' };
}

function textOf(hole: Hole | null): string {
  const text = hole?.owner[hole.name];
  return typeof text === 'string' ? text : '';
}

function inner(value: unknown, name: string | number): Record<string, unknown> | null {
  const found = (value as Record<string, unknown> | null)?.[name];
  return typeof found === 'object' ? (found as Record<string, unknown> | null) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
