/**
 * Reading JSON that a backend wrote. Everything may be missing or null; what is there must have the right type, and a
 * wrong type ends the attempt as the pod's failure. It never reaches a caller and never ends the process.
 */

/** The backend sent something that is not a chat stream, or an error inside one. Its message is for the log. */
export class BackendFault extends Error {
  override readonly name = 'BackendFault';
}

/** A JSON object whose fields are yet to be read. */
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

/** What a backend says in an error body or chunk: one line without control characters, at most 500 letters. */
export function errorMessage(error: unknown): string {
  return sanitise(findMessage(error)) || 'no message';
}

function findMessage(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  // vLLM and llama.cpp wrap the error, SGLang does not, FastAPI calls it `detail`.
  const { message, error: inner, detail } = error as Fields;
  if (typeof message === 'string') return message;
  if (inner !== undefined) return findMessage(inner);
  return typeof detail === 'string' ? detail : '';
}

function sanitise(text: string): string {
  return text
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
    .toWellFormed();
}
