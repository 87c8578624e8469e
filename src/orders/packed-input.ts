/** The input of an order as JSON: in memory, in a file, or in its row. */
import type { JsonObject } from './request.ts';

/**
 * Where the JSON of an input is. new: in memory, counted with its request. memory: in memory, counted here. moving: also
 * in memory, while it is written to a file. row: in the row of its order alone. gone: its order needs it no more.
 */
type Place = 'new' | 'memory' | 'moving' | 'file' | 'row' | 'gone';

/** The JSON of an order's input. Only `WaitingInputs` changes it. */
export interface WaitingInput {
  readonly bytes: number;
  /** What the answer will repeat of the request; known once it waits. */
  repeatedBytes: number;
  place: Place;
  /** Null where `place` is not in memory. */
  json: Buffer | null;
  /** Whether its order is queued, so that its bytes count as waiting. */
  waits: boolean;
  /** Whether a file has it for the next process too, in place of the order's row. */
  kept: boolean;
  /** Resolves when a move to a file has ended, whether it succeeded or not; null without one. */
  file: Promise<void> | null;
}

/** An input that is in memory and does not wait yet. */
export function waitingInput(json: Buffer): WaitingInput {
  return { bytes: json.length, repeatedBytes: 0, place: 'new', json, waits: false, kept: false, file: null };
}

/** An input that an earlier process kept in a file. Its bytes are not counted. */
export function keptInput(): WaitingInput {
  return { bytes: 0, repeatedBytes: 0, place: 'file', json: null, waits: false, kept: true, file: null };
}

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
