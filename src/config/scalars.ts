/** Single values of a YAML file: what they are, and how refusals and the schema show them. */
import { isMap, isScalar, isSeq, type Node } from 'yaml';

/** What a string must look like. */
export interface TextShape {
  readonly pattern?: RegExp;
  /** Describes a valid value in words. */
  readonly expected?: string;
}

/** The string in a scalar; null if it is not a string, is blank or does not match. */
export function textOf(node: unknown, { pattern }: TextShape): string | null {
  const value = isScalar(node) ? node.value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  return pattern === undefined || pattern.test(value) ? value : null;
}

/** Of a string with these patterns; a blank one counts as none. */
export function patternsOf({ pattern, expected }: TextShape): { pattern: string; description?: string } {
  const described = expected === undefined ? {} : { description: expected };
  return { pattern: pattern?.source ?? '\\S', ...described };
}

/** A value in the words of a refusal, cut. */
export function shown(node: Node): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  const text = isScalar(node) ? (node.source ?? String(node.value)) : '';
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);
}

/** The first line without its last mark. */
export function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/[.:]$/, '');
}

/** `one, two or three`. */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
