/**
 * Tool calls as backends stream them. In the protocol, `index` identifies the call, id and name come once, and
 * arguments come in fragments. Backends differ: the index is missing, always 0 or another one for the arguments, id and
 * name are repeated or late, a call comes complete in one delta, arguments are an object or come twice, `{}` comes
 * before the real ones, they are JSON in JSON, ids are missing, all alike or new in each delta. So a call is found by its id, else by its
 * index, else it is the last one that is open. A call ends when its arguments are a complete object.
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
  /** Its arguments so far, and their length. */
  arguments: string[];
  length: number;
  /**
   * How many pieces of `arguments` are held back: until the name is known, while an empty object may still be
   * replaced, and for a text until its end.
   */
  unsent: number;
  /** Whether the arguments are `{}` or null, which some servers send before the real ones. */
  placeholder: boolean;
  /** Whether the arguments begin as a text, which may have the object in it. */
  quoted: boolean;
  nesting: JsonNesting;
  readonly text: WholeText;
}

/** One parsed entry of `delta.tool_calls`. */
interface CallEntry {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
  readonly fragment: string;
}

/** Receives what a reader reads. */
interface ToolCallSink {
  readonly emit: (event: GenerationEvent) => void;
  /** Gets each text before it is held or emitted, and returns it; throws when the answer is too large. */
  readonly keep: (text: string) => string;
}

/** The most entries of calls without a name: they are buffered, and the output cap does not count them. */
const NAMELESS_ENTRIES_MAX = 1_000;

/** Reads the tool calls of one generation and emits events. The cost of an entry does not grow with those before it. */
export class ToolCallReader {
  readonly #idPrefix: string;
  readonly #emit: (event: GenerationEvent) => void;
  readonly #keep: (text: string) => string;
  readonly #calls: Call[] = [];
  /** The newest last; those that are done are removed when they are met. */
  readonly #open: Call[] = [];
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

  /** Whether there are calls and all of them are complete. */
  get complete(): boolean {
    return this.#calls.length > 0 && this.#calls.every((call) => call.openedIndex !== null && call.nesting.closed);
  }

  /** Takes `delta.tool_calls`. Throws BackendFault on a wrong type, or on too many entries without a name. */
  read(toolCalls: unknown): void {
    // TGI has sent one call without a list around it.
    const isOne = typeof toolCalls === 'object' && toolCalls !== null && !Array.isArray(toolCalls);
    const entries = readList(isOne ? [toolCalls] : toolCalls, 'tool_calls').map(readEntry);
    for (const [position, entry] of entries.entries()) {
      const call = this.#find(entry, position) ?? this.#begin(entry);
      this.#last = call;
      this.#extend(call, entry);
    }
  }

  /**
   * The stream has ended: emits what was held back. A call without a name is dropped; throws BackendFault if it has
   * arguments, unless the answer was `cut` before it could get one.
   */
  end({ cut }: { readonly cut: boolean }): void {
    const lost = this.#calls.some((call) => call.openedIndex === null && call.arguments.join('').trim() !== '');
    if (lost && !cut) throw new BackendFault('arguments came for a tool call without a name');
    for (const call of this.#calls) {
      if (call.openedIndex === null) continue;
      if (call.quoted) this.#fragment(call, call.text.next(unquoted(call.arguments.join(''))));
      else this.#send(call);
      this.#fragment(call, call.text.rest());
    }
  }

  #find(entry: CallEntry, position: number): Call | null {
    if (entry.id === '' && entry.name === '') return this.#ofArguments(entry);
    const known = this.#withId(entry);
    if (known) return known;
    // Several entries of one delta without an index are different calls.
    const before = position === 0 ? this.#last : null;
    const candidate = entry.index === null ? before : (this.#byIndex.get(entry.index) ?? null);
    if (!candidate) return null;
    // Some servers make up an id for every delta.
    const continues = entry.name === '' && candidate.name !== '' && !isDone(candidate);
    if (continues && (entry.index !== null || entry.fragment !== '')) return candidate;
    const otherId = entry.id !== '' && candidate.backendId !== '';
    return otherId || startsNewCall(candidate, entry) ? null : candidate;
  }

  #withId({ id, index }: CallEntry): Call | undefined {
    if (id === '') return undefined;
    if (index === null) return this.#byId.get(id);
    return this.#byIndexAndId.get(indexAndId(index, id)) ?? this.#byIndexAndId.get(indexAndId(null, id));
  }

  /** The call of arguments without id and name: the one with their index, or else the last one that is open. */
  #ofArguments({ index, fragment }: CallEntry): Call | null {
    const own = index === null ? this.#last : (this.#byIndex.get(index) ?? null);
    if (own && !isDone(own)) return own;
    const open = this.#lastOpen();
    if (!open || (own && (open.arguments.length > 0 || !beginsObject(fragment)))) return own;
    // The next fragments have the same index.
    if (index !== null) this.#byIndex.set(index, open);
    return open;
  }

  #lastOpen(): Call | null {
    for (let call = this.#open.at(-1); call; call = this.#open.at(-1)) {
      if (!isDone(call)) return call;
      this.#open.pop();
    }
    return null;
  }

  #begin(entry: CallEntry): Call {
    const call: Call = {
      backendIndex: entry.index,
      backendId: '',
      name: '',
      openedIndex: null,
      arguments: [],
      length: 0,
      unsent: 0,
      placeholder: false,
      quoted: false,
      nesting: new JsonNesting(),
      text: new WholeText(),
    };
    this.#calls.push(call);
    if (entry.id !== '' || entry.name !== '') this.#open.push(call);
    if (entry.index !== null) this.#byIndex.set(entry.index, call);
    return call;
  }

  #extend(call: Call, entry: CallEntry): void {
    if (call.backendId === '' && entry.id !== '') this.#setId(call, entry.id);
    if (call.name === '' && entry.name !== '') this.#setName(call, entry.name);
    for (let from = repeated(call, entry.fragment); from < entry.fragment.length; )
      from = this.#take(call, entry.fragment, from);
    if (call.name === '') {
      if (++this.#namelessEntries > NAMELESS_ENTRIES_MAX)
        throw new BackendFault(`malformed chunk: ${NAMELESS_ENTRIES_MAX} entries of tool calls without a name`);
      return;
    }
    if (call.openedIndex === null) this.#openCall(call);
    if (!call.placeholder && !call.quoted) this.#send(call);
  }

  /**
   * Adds the arguments in a fragment from an index on, and returns where they end. Anything after complete arguments is
   * dropped.
   */
  #take(call: Call, fragment: string, from: number): number {
    if (call.placeholder && beginsObject(fragment.slice(from))) {
      call.placeholder = false;
      call.arguments = [];
      call.length = 0;
      call.unsent = 0;
      call.nesting = new JsonNesting();
    }
    if (call.nesting.closed) return fragment.length;
    const to = call.nesting.addUntilClosed(fragment, from);
    const piece = this.#keep(fragment.slice(from, to));
    if (call.length === 0) call.quoted = piece.startsWith('"');
    call.placeholder = call.arguments.length === 0 && PLACEHOLDER.test(piece);
    call.arguments.push(piece);
    call.length += piece.length;
    call.unsent++;
    return to;
  }

  /** Emits the arguments that are held. */
  #send(call: Call): void {
    const pieces = call.unsent === 1 ? (call.arguments.at(-1) ?? '') : call.arguments.slice(-call.unsent).join('');
    if (call.unsent > 0) this.#fragment(call, call.text.next(pieces));
    call.unsent = 0;
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

  #openCall(call: Call): void {
    const index = this.opened;
    call.openedIndex = index;
    const usable = call.backendId !== '' && !this.#idsGiven.has(call.backendId);
    const id = usable ? call.backendId : this.#generateId(index);
    this.#idsGiven.add(id);
    this.#emit({ type: 'tool-call', index, id, name: call.name });
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

/** In one piece: an empty object that the model wrote token by token is real. */
const PLACEHOLDER = /^\s*(?:\{\s*\}|null)$/;
/** The ends of arguments behind which an object may begin. */
const BEFORE_VALUE = /[:,[]\s*$/;

function beginsObject(fragment: string): boolean {
  return /^\s*[{[]/.test(fragment);
}

/** The object in a text, for models that write the JSON of their arguments as JSON; any other text as it is. */
function unquoted(text: string): string {
  try {
    const inner: unknown = JSON.parse(text);
    const value: unknown = typeof inner === 'string' ? JSON.parse(inner) : null;
    return typeof inner === 'string' && typeof value === 'object' && value !== null ? inner : text;
  } catch {
    return text;
  }
}

/** Whether no more arguments can belong to a call. */
function isDone(call: Call): boolean {
  return call.nesting.closed && !call.placeholder;
}

/** Whether an entry starts a new call instead of repeating the name of `call`. */
function startsNewCall(call: Call, entry: CallEntry): boolean {
  if (entry.name === '' || call.name === '') return false;
  if (entry.name !== call.name) return true;
  if (!call.nesting.closed || !beginsObject(entry.fragment)) return false;
  // An index says that it is the same call, but Gemini's is always 0.
  return entry.index === null || !(call.placeholder || isRepeat(call, entry.fragment));
}

/** Whether complete arguments are the same again. */
function isRepeat(call: Call, fragment: string): boolean {
  return fragment.length === call.length && fragment === call.arguments.join('');
}

/**
 * How much of a fragment is known, because some servers send all arguments so far again. Elsewhere JSON cannot go on with
 * its own beginning. Fragments that are shorter than what they would repeat are not compared, so all of it stays cheap.
 */
function repeated({ arguments: pieces, length, placeholder }: Call, fragment: string): number {
  if (length === 0 || placeholder || fragment.length <= length || !beginsObject(fragment)) return 0;
  const known = pieces.join('');
  return fragment.startsWith(known) && !BEFORE_VALUE.test(known) ? length : 0;
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
  };
}
