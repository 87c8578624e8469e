/**
 * Stores the custom id of a line as a JSON string in plain ASCII. It may be any string, also one that no database
 * stores unchanged: with NUL characters, or half of a surrogate pair.
 */
import { kind, text, type ValueKind } from '../database/values.ts';

/** A custom id in its column. */
export const customId: ValueKind<string> = kind(
  (stored) => JSON.parse(text(stored)) as string,
  (id) => JSON.stringify(id).replace(/[\u007f-\uffff]/g, escaped),
);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
