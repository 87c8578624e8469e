/**
 * Tool calls as backends stream them. The protocol says: `index` names the call, id and name come once, arguments come
 * in fragments. Backends differ: the index is missing or always 0, id and name are repeated or come late, a call comes
 * whole in one delta, arguments are an object, ids are missing or all alike. So a call is found by its id first, then by
 * its index, then it is the one last spoken of.
 */
import type { GenerationEvent } from '#orders/generation.ts';
import { JsonNesting } from './json-nesting.ts';
import { BackendFault, type Fields, readFields, readList, readText } from './malformed.ts';
import { WholeText } from './whole-text.ts';

interface Call {
  /** As the backend numbers it; null when it does not. */
  readonly theirIndex: number | null;
  /** The id the backend uses for it; '' when it has none. */
  theirId: string;
  name: string;
  /** Ours, once it was opened. */
  ourIndex: number | null;
  /** Fragments that came before the name. */
  early: string;
  /** Whether the arguments came as an object, which is whole at once. */
  closed: boolean;
  readonly nesting: JsonNesting;
  readonly text: WholeText;
}

/** One entry of `delta.tool_calls`, read. */
interface Part {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
  readonly fragment: string;
  readonly whole: boolean;
}

/** Entries that may come for calls without a name: they are kept, and no cap on the output counts them. */
const NAMELESS_ENTRIES_MAX = 1_000;

/** Takes the tool calls of one generation and tells them as events. An entry costs the same however many came before. */
export class ToolCallReader {
  readonly #idPrefix: string;
  readonly #emit: (event: GenerationEvent) => void;
  readonly #calls: Call[] = [];
  /** The newest call of each id, of each id on one index (or none), and of each index. */
  readonly #byId = new Map<string, Call>();
  readonly #byPlace = new Map<string, Call>();
  readonly #byIndex = new Map<number, Call>();
  readonly #idsGiven = new Set<string>();
  #namelessEntries = 0;
  #last: Call | null = null;

  /** `idPrefix` begins the ids that are made up for calls without one of their own. */
  constructor(idPrefix: string, emit: (event: GenerationEvent) => void) {
    this.#idPrefix = idPrefix;
    this.#emit = emit;
  }

  /** How many calls were opened. */
  get opened(): number {
    return this.#idsGiven.size;
  }

  /** Takes `delta.tool_calls`. Throws BackendFault on a wrong type, or when names fail to come. */
  read(toolCalls: unknown): void {
    const parts = readList(toolCalls, 'tool_calls').map(readPart);
    for (const [position, part] of parts.entries()) {
      const call = this.#find(part, position) ?? this.#begin(part);
      this.#last = call;
      this.#extend(call, part);
    }
  }

  /** No more comes: tells what was held back. A call that never got a name is dropped. */
  end(): void {
    for (const call of this.#calls) {
      if (call.ourIndex !== null) this.#fragment(call, call.text.rest());
    }
  }

  #find(part: Part, position: number): Call | null {
    if (part.id !== '') {
      const known =
        part.index === null
          ? this.#byId.get(part.id)
          : (this.#byPlace.get(placeOf(part.index, part.id)) ?? this.#byPlace.get(placeOf(null, part.id)));
      if (known) return known;
    }
    const candidate = this.#candidate(part, position);
    if (!candidate) return null;
    const otherId = part.id !== '' && candidate.theirId !== '';
    return otherId || isAnother(candidate, part) ? null : candidate;
  }

  /** The call that an entry without a known id would continue. */
  #candidate(part: Part, position: number): Call | null {
    if (part.index !== null) return this.#byIndex.get(part.index) ?? null;
    // Several entries of one delta without an index are several calls.
    return position === 0 ? this.#last : null;
  }

  #begin(part: Part): Call {
    const call: Call = {
      theirIndex: part.index,
      theirId: '',
      name: '',
      ourIndex: null,
      early: '',
      closed: false,
      nesting: new JsonNesting(),
      text: new WholeText(),
    };
    this.#calls.push(call);
    if (part.index !== null) this.#byIndex.set(part.index, call);
    return call;
  }

  #extend(call: Call, part: Part): void {
    if (call.theirId === '' && part.id !== '') this.#learnId(call, part.id);
    if (call.name === '') call.name = part.name;
    const fragment = call.closed ? '' : part.fragment;
    call.closed ||= part.whole;
    call.nesting.add(fragment);
    if (call.ourIndex !== null) {
      this.#fragment(call, call.text.next(fragment));
      return;
    }
    call.early += fragment;
    if (call.name !== '') this.#open(call);
    else if (++this.#namelessEntries > NAMELESS_ENTRIES_MAX)
      throw new BackendFault(`malformed chunk: ${NAMELESS_ENTRIES_MAX} entries of tool calls without a name`);
  }

  #learnId(call: Call, theirId: string): void {
    call.theirId = theirId;
    this.#byId.set(theirId, call);
    this.#byPlace.set(placeOf(call.theirIndex, theirId), call);
  }

  #open(call: Call): void {
    const index = this.opened;
    call.ourIndex = index;
    const usable = call.theirId !== '' && !this.#idsGiven.has(call.theirId);
    const id = usable ? call.theirId : this.#madeUpId(index);
    this.#idsGiven.add(id);
    this.#emit({ type: 'tool-call', index, id, name: call.name });
    this.#fragment(call, call.text.next(call.early));
    call.early = '';
  }

  #madeUpId(index: number): string {
    let id = `${this.#idPrefix}${index}`;
    while (this.#idsGiven.has(id)) id += '_';
    return id;
  }

  #fragment(call: Call, fragment: string): void {
    if (fragment !== '' && call.ourIndex !== null)
      this.#emit({ type: 'tool-arguments-delta', index: call.ourIndex, fragment });
  }
}

/** Whether an entry without an id opens another call instead of repeating the name of `call`. */
function isAnother(call: Call, part: Part): boolean {
  if (part.name === '' || call.name === '') return false;
  if (part.name !== call.name) return true;
  return part.fragment !== '' && call.nesting.closed;
}

function placeOf(index: number | null, id: string): string {
  return `${index} ${id}`;
}

function readPart(entry: unknown): Part {
  const fields: Fields = readFields(entry, 'tool_calls[]') ?? {};
  const called: Fields = readFields(fields.function, 'function') ?? {};
  const whole = typeof called.arguments === 'object' && called.arguments !== null;
  return {
    id: readText(fields.id, 'tool call id'),
    index: Number.isSafeInteger(fields.index) ? (fields.index as number) : null,
    name: readText(called.name, 'function.name'),
    fragment: whole ? JSON.stringify(called.arguments) : readText(called.arguments, 'function.arguments'),
    whole,
  };
}
