/**
 * Reads JSON from a backend. Any field may be missing or null, but a present one must have the right type. A wrong type
 * fails the attempt as the pod's error; it never reaches a caller and never ends the process.
 */
import { NESTING_MAX } from '#base/bounds.ts';
import type { OverfullContext } from '#orders/ports.ts';
import { overfullOf } from './overfull-context.ts';

/** The backend sent something that is not a chat stream, or an error in one. The message is for the log. */
export class BackendFault extends Error {
  override readonly name = 'BackendFault';
  /** The backend's own words, which are not for the log as they are; '' for none. */
  readonly said: string;

  constructor(message: string, said = '') {
    super(message);
    this.said = said;
  }
}

/** What a backend says in an error. */
export interface Complaint {
  /** Its own words, for the caller once redacted: one line without control characters, at most 500 characters. */
  readonly message: string;
  /** What it says about a full context; null if it does not say that the context is full. */
  readonly overfull: Partial<OverfullContext> | null;
}

/** The backend says that the request is at fault. */
export class BackendRefusal extends Error {
  override readonly name = 'BackendRefusal';
  readonly complaint: Complaint;

  constructor(complaint: Complaint) {
    super(complaint.message);
    this.complaint = complaint;
  }
}

/**
 * Whether an error blames the request, so that any other pod would answer the same: by its status, or because it says
 * that the context is full, for which engines send 500, a word, or no code at all. 429 and 503 say what a pod has room for.
 */
export function isRefusal(status: unknown, { overfull }: Complaint): boolean {
  if (status === 400 || status === 413 || status === 422) return true;
  return overfull !== null && status !== 429 && status !== 503;
}

/** A JSON object whose fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object; null when absent or null. Throws BackendFault on any other type. */
export function readFields(value: unknown, name: string): Fields | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name);
  return value as Fields;
}

/** The string; '' when absent or null. Throws BackendFault on any other type. */
export function readText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  throw wrongType(name);
}

/** The list; empty when absent or null. Throws BackendFault on any other type. */
export function readList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null) return [];
  throw wrongType(name);
}

function wrongType(name: string): BackendFault {
  return new BackendFault(`malformed chunk: ${name} has the wrong type`);
}

/**
 * Throws BackendFault if a chunk is nested too deeply. `length` is the length of its JSON: each level takes two
 * brackets, so ordinary chunks are too short to need the walk.
 */
export function checkNesting(chunk: unknown, length: number): void {
  if (length > 2 * NESTING_MAX && isDeeperThan(chunk, NESTING_MAX))
    throw new BackendFault(`malformed chunk: nested deeper than ${NESTING_MAX} levels`);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** What the body or chunk of an error says. */
export function complaintOf(error: unknown): Complaint {
  const { text, fields } = unwrapped(error);
  const message = sanitise(text) || 'no message';
  return { message, overfull: overfullOf(message, fields) };
}

/** The most wrappers removed from an error to find its message. */
const WRAPPERS_MAX = 4;

/** The message, '' for none, and the object that it is in. */
function unwrapped(error: unknown): { readonly text: string; readonly fields: Fields } {
  let wrapped = error;
  let outer: Fields = {};
  for (let wrapper = 0; wrapper <= WRAPPERS_MAX; wrapper++) {
    if (typeof wrapped === 'string') return { text: wrapped, fields: outer };
    if (typeof wrapped !== 'object' || wrapped === null) break;
    // vLLM and llama.cpp wrap the error, SGLang does not, FastAPI calls it `detail`.
    outer = wrapped as Fields;
    const { message, error: inner, detail } = outer;
    if (typeof message === 'string') return { text: message, fields: outer };
    if (inner === undefined) return { text: typeof detail === 'string' ? detail : '', fields: outer };
    wrapped = inner;
  }
  return { text: '', fields: outer };
}

function sanitise(text: string): string {
  return text
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
    .toWellFormed();
}
