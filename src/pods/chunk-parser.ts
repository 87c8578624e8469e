/**
 * A fast JSON.parse for the chunks of one stream. Nearly all chunks differ only in one string, and parsing the rest
 * again and again was most of the cost of reading a backend. So the text before and after that string is remembered as
 * a template. A chunk that begins and ends like the template, with only string content in between, must be the same
 * object with another string. Every other chunk is parsed in full. What a chunk means is in `chunk-events.ts`.
 */
import { BackendFault, checkNesting } from './malformed.ts';

/** A chunk split at its variable string. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly chunk: unknown;
  readonly field: TextField;
}

/** The field that holds the string. */
interface TextField {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

/** How often a stream may look for a template; backends that change more than the string would waste the effort. */
const TEMPLATES_MAX = 8;
/** In UTF-16 units. Longer chunks do not come by the thousand. */
const TEMPLATE_LENGTH_MAX = 4_096;
/** Replaces the string while a template is tested. */
const PROBE = 'sluice';
/** Text that needs no escapes in a JSON string. */
const UNESCAPED = /^[^"\\\p{Cc}]*$/u;

/** Parses the chunks of one stream. */
export class ChunkParser {
  #template: Template | null = null;
  #attempts = 0;

  /**
   * Returns the chunk, which is valid until the next call: that may return the same object with another string. Throws
   * BackendFault if it is not JSON or nested too deeply.
   */
  parse(data: string): unknown {
    return this.#parseByTemplate(data) ?? this.#parseWhole(data);
  }

  #parseByTemplate(data: string): unknown {
    const template = this.#template;
    if (!template) return undefined;
    const { before, after, field } = template;
    const end = data.length - after.length;
    // Comparing substrings is ten times faster than `startsWith` on a longer string.
    if (end < before.length || data.substring(0, before.length) !== before || data.substring(end) !== after)
      return undefined;
    const text = stringOf(data.substring(before.length, end));
    if (text === null) return undefined;
    field.owner[field.name] = text;
    return template.chunk;
  }

  #parseWhole(data: string): unknown {
    const chunk = parseJson(data);
    if (chunk === undefined) throw new BackendFault('malformed chunk: not JSON');
    checkNesting(chunk, data.length);
    if (this.#attempts < TEMPLATES_MAX && data.length <= TEMPLATE_LENGTH_MAX) this.#findTemplate(data, chunk);
    return chunk;
  }

  #findTemplate(data: string, chunk: unknown): void {
    const text = textOf(textFieldOf(chunk));
    if (text === '') return;
    this.#attempts++;
    const written = JSON.stringify(text);
    const position = data.lastIndexOf(written);
    if (position < 0) return;
    const before = data.slice(0, position + 1);
    const after = data.slice(position + written.length - 1);
    // The same string may also occur elsewhere in the chunk, so the template is tested.
    const tried = parseJson(`${before}${PROBE}${after}`);
    const field = textFieldOf(tried);
    if (field && textOf(field) === PROBE) this.#template = { before, after, chunk: tried, field };
  }
}

/** The string with this JSON content; null when it is not valid string content. */
function stringOf(inside: string): string | null {
  if (UNESCAPED.test(inside)) return inside;
  const value = parseJson(`"${inside}"`);
  return typeof value === 'string' ? value : null;
}

/** The field that holds a chunk's string; null for none. */
function textFieldOf(chunk: unknown): TextField | null {
  const delta = inner(inner(inner(chunk, 'choices'), 0), 'delta');
  for (const name of ['content', 'reasoning_content', 'reasoning']) {
    if (delta && textOf({ owner: delta, name }) !== '') return { owner: delta, name };
  }
  const called = inner(inner(inner(delta, 'tool_calls'), 0), 'function');
  return called && { owner: called, name: 'arguments' };
}

function textOf(field: TextField | null): string {
  const text = field?.owner[field.name];
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
