/** The input of an order as JSON: in memory, in a file, or in its row. */
import type { JsonObject } from './request.ts';

/** Where the JSON of an order's input is. */
export interface WaitingInput {
  readonly bytes: number;
  /** What the answer will repeat of the request; known once it waits. */
  repeatedBytes: number;
  /** Null once it is in a file or a row. */
  json: Buffer | null;
  /** Resolves when the bytes have left the memory, or stay because the disk refused them; null without a file. */
  file: Promise<void> | null;
  /** Whether the file is for the next process too, in place of the order's row. */
  kept: boolean;
  /** Whether its bytes count as waiting, and as being in memory. */
  counted: boolean;
  held: boolean;
  ended: boolean;
}

/** An input that is in memory and does not wait yet. */
export function waitingInput(json: Buffer): WaitingInput {
  return { ...NOWHERE, bytes: json.length, json };
}

/** An input that an earlier process kept in a file. Its bytes are not counted. */
export function keptInput(): WaitingInput {
  return { ...NOWHERE, file: Promise.resolve(), kept: true };
}

const NOWHERE = {
  ...{ bytes: 0, repeatedBytes: 0, json: null, file: null },
  ...{ kept: false, counted: false, held: false, ended: false },
};

/** The JSON of an object that has fields, with more of them. */
export function withFields(json: string, fields: JsonObject): string {
  const more = JSON.stringify(fields).slice(1);
  return more === '}' ? json : `${json.slice(0, -1)},${more}`;
}

/** The memory of what an answer repeats. Text takes up to two bytes for a unit. */
export function repeatedBytes(repeated: JsonObject | Uint8Array | undefined): number {
  if (!repeated) return 0;
  return repeated instanceof Uint8Array ? repeated.byteLength : 2 * JSON.stringify(repeated).length;
}
