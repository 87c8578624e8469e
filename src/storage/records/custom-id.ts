/**
 * Stores the custom id of a line as a JSON string in plain ASCII. It may be any string, also one that no database
 * stores unchanged: with NUL characters, or half of a surrogate pair.
 */
import { text } from '../database/values.ts';

/** The value for the column. */
export function customIdText(customId: string): string {
  return JSON.stringify(customId).replace(/[\u007f-\uffff]/g, escaped);
}

/** The id that `customIdText` encoded. */
export function customIdFrom(value: unknown): string {
  return JSON.parse(text(value)) as string;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
