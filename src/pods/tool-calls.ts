/**
 * Tool calls as backends stream them. In the protocol, `index` identifies the call, id and name come once, and
 * arguments come in fragments. Backends differ: the index is missing or always 0, id and name are repeated or late, a
 * call comes complete in one delta, arguments are an object, ids are missing or all alike. So a call is found by its
 * id, else by its index, else it is the last one mentioned.
 */

import { JsonNesting } from '#base/exact-json.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { BackendFault, type Fields, readFields, readList, readText } from './malformed.ts';
import { WholeText } from './whole-text.ts';

interface Call {
  /** The index the backend gave it; null for none. */
  readonly backendIndex: number | null;
  /** The id the backend gave it; '' for none. */
  backendId: string;
  name: string;
  /** The index given to callers; null until it is opened. */
  openedIndex: number | null;
  /** Fragments that arrived before the name. */
  unsent: string;
  /** Whether the arguments came as an object, which is complete at once. */
  complete: boolean;
  readonly nesting: JsonNesting;
  readonly text: WholeText;
}

/** One parsed entry of `delta.tool_calls`. */
interface CallEntry {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
  readonly fragment: string;
  readonly whole: boolean;
}

/** Receives what a reader reads. */
interface ToolCallSink {
  readonly emit: (event: GenerationEvent) => void;
  /** Gets each text before it is held or emitted; throws when the answer is too large. */
  readonly keep: (text: string) => void;
}

/** The most entries of calls without a name: they are buffered, and the output cap does not count them. */
const NAMELESS_ENTRIES_MAX = 1_000;

/** Reads the tool calls of one generation and emits events. The cost of an entry does not grow with those before it. */
export class ToolCallReader {
  readonly #idPrefix: string;
  readonly #emit: (event: GenerationEvent) => void;
  readonly #keep: (text: string) => void;
  readonly #calls: Call[] = [];
  /** The newest call by id, by id and index (which may be null), and by index. */
  readonly #byId = new Map<string, Call>();
  readonly #byIndexAndId = new Map<string, Call>();
  readonly #byIndex = new Map<number, Call>();
  readonly #idsGiven = new Set<string>();
  #namelessEntries = 0;
  #last: Call | null = null;

  /** `idPrefix` begins the generated ids of calls without a usable id. */
  constructor(idPrefix: string, { emit, keep }: ToolCallSink) {
    this.#idPrefix = idPrefix;
    this.#emit = emit;
    this.#keep = keep;
  }

  get opened(): number {
    return this.#idsGiven.size;
  }

  /** Takes `delta.tool_calls`. Throws BackendFault on a wrong type, or on too many entries without a name. */
  read(toolCalls: unknown): void {
    const entries = readList(toolCalls, 'tool_calls').map(readEntry);
    for (const [position, entry] of entries.entries()) {
      const call = this.#find(entry, position) ?? this.#begin(entry);
      this.#last = call;
      this.#extend(call, entry);
    }
  }

  /** The stream has ended: emits what was held back. A call without a name is dropped. */
  end(): void {
    for (const call of this.#calls) {
      if (call.openedIndex !== null) this.#fragment(call, call.text.rest());
    }
  }

  #find(entry: CallEntry, position: number): Call | null {
    if (entry.id !== '') {
      const known =
        entry.index === null
          ? this.#byId.get(entry.id)
          : (this.#byIndexAndId.get(indexAndId(entry.index, entry.id)) ??
            this.#byIndexAndId.get(indexAndId(null, entry.id)));
      if (known) return known;
    }
    const candidate = this.#candidate(entry, position);
    if (!candidate) return null;
    const otherId = entry.id !== '' && candidate.backendId !== '';
    return otherId || startsNewCall(candidate, entry) ? null : candidate;
  }

  /** The call that an entry without a known id would continue. */
  #candidate(entry: CallEntry, position: number): Call | null {
    if (entry.index !== null) return this.#byIndex.get(entry.index) ?? null;
    // Several entries of one delta without an index are different calls.
    return position === 0 ? this.#last : null;
  }

  #begin(entry: CallEntry): Call {
    const call: Call = {
      backendIndex: entry.index,
      backendId: '',
      name: '',
      openedIndex: null,
      unsent: '',
      complete: false,
      nesting: new JsonNesting(),
      text: new WholeText(),
    };
    this.#calls.push(call);
    if (entry.index !== null) this.#byIndex.set(entry.index, call);
    return call;
  }

  #extend(call: Call, entry: CallEntry): void {
    if (call.backendId === '' && entry.id !== '') this.#setId(call, entry.id);
    if (call.name === '' && entry.name !== '') this.#setName(call, entry.name);
    const fragment = call.complete ? '' : entry.fragment;
    this.#keep(fragment);
    call.complete ||= entry.whole;
    call.nesting.add(fragment);
    if (call.openedIndex !== null) {
      this.#fragment(call, call.text.next(fragment));
      return;
    }
    call.unsent += fragment;
    if (call.name !== '') this.#open(call);
    else if (++this.#namelessEntries > NAMELESS_ENTRIES_MAX)
      throw new BackendFault(`malformed chunk: ${NAMELESS_ENTRIES_MAX} entries of tool calls without a name`);
  }

  #setName(call: Call, name: string): void {
    this.#keep(name);
    call.name = name;
  }

  #setId(call: Call, backendId: string): void {
    this.#keep(backendId);
    call.backendId = backendId;
    this.#byId.set(backendId, call);
    this.#byIndexAndId.set(indexAndId(call.backendIndex, backendId), call);
  }

  #open(call: Call): void {
    const index = this.opened;
    call.openedIndex = index;
    const usable = call.backendId !== '' && !this.#idsGiven.has(call.backendId);
    const id = usable ? call.backendId : this.#generateId(index);
    this.#idsGiven.add(id);
    this.#emit({ type: 'tool-call', index, id, name: call.name });
    this.#fragment(call, call.text.next(call.unsent));
    call.unsent = '';
  }

  #generateId(index: number): string {
    let id = `${this.#idPrefix}${index}`;
    while (this.#idsGiven.has(id)) id += '_';
    return id;
  }

  #fragment(call: Call, fragment: string): void {
    if (fragment !== '' && call.openedIndex !== null)
      this.#emit({ type: 'tool-arguments-delta', index: call.openedIndex, fragment });
  }
}

/** Whether an entry without an id starts a new call instead of repeating the name of `call`. */
function startsNewCall(call: Call, entry: CallEntry): boolean {
  if (entry.name === '' || call.name === '') return false;
  if (entry.name !== call.name) return true;
  return entry.fragment !== '' && call.nesting.closed;
}

function indexAndId(index: number | null, id: string): string {
  return `${index} ${id}`;
}

function readEntry(entry: unknown): CallEntry {
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
