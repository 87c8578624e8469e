/**
 * The custom id of a line as it is stored: as JSON spells it, in plain ASCII. It is any string its owner likes, also one
 * that no database keeps as it is: with NUL characters, or half of a surrogate pair.
 */
import { text } from './values.ts';

/** What is bound to a column. */
export function customIdText(customId: string): string {
  return JSON.stringify(customId).replace(/[\u007f-\uffff]/g, escaped);
}

/** The id that `customIdText` spelled. */
export function customIdFrom(value: unknown): string {
  return JSON.parse(text(value)) as string;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
