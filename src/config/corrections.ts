/** What to write instead of a value that the schema refuses, in the words of a refusal: `make it …`. */
import { isMap, isScalar, isSeq, type Node, stringify } from 'yaml';
import schema from '#generated/schemas/configuration.json' with { type: 'json' };

/** A part of `schema.yaml`. */
export type SchemaPart = Readonly<Record<string, unknown>>;

/** The correction of a value that does not fit `part`. */
export function correctionOf(part: SchemaPart, node: Node | null): string {
  const [type, other] = [part.type].flat();
  const { minimum, maximum, errorMessage } = part;
  if (Array.isArray(part.enum)) return `make it ${orList(part.enum)}`;
  if (type === 'boolean') return 'make it true or false';
  if (type === 'number' && other === 'string')
    return `make it a plain decimal from ${minimum} to ${maximum} with at most nine decimals, such as 0.25`;
  if (type === 'number') return `make it a number from ${minimum} to ${maximum}`;
  if (type === 'integer')
    return `make it a whole number${withoutQuotes(node)} from ${minimum} to ${maximum}${alternative(part)}`;
  if (type === 'array')
    return `make it a list${isOfMappings(part) ? ', each entry beginning with "- "' : ' such as [one, two]'}`;
  if (type === 'object') return `make it a mapping of settings${suchAs('', part)}`;
  return `make it ${errorMessage ?? 'a string'}`;
}

/** The correction of a list with an entry that does not fit `part`. */
export function correctionOfEntries(part: SchemaPart): string {
  if (part.type === 'object') return 'make every entry of the list a mapping of settings';
  return `make every entry ${part.errorMessage ?? 'a string'}`;
}

/** ` such as `, `prefix` and an example of a value that fits `part`; nothing without an example. */
export function suchAs(prefix: string, part: SchemaPart): string {
  const [example] = examplesOf(part);
  return example === undefined ? '' : ` such as ${prefix}${inline(example)}`;
}

/** A value in the words of a refusal, cut. */
export function shown(node: Node | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  const text = isScalar(node) ? (node.source ?? String(node.value)) : '';
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);
}

function withoutQuotes(node: Node | null): string {
  return isScalar(node) && typeof node.value === 'string' && /^\d+$/.test(node.value) ? ' without quotes' : '';
}

/** What else than a whole number fits: the second example of such a part. */
function alternative(part: SchemaPart): string {
  const [, other] = examplesOf(part);
  if (!Array.isArray(part.type) || other === undefined) return '';
  return `, or ${Array.isArray(other) ? 'a list such as ' : ''}${inline(other)}`;
}

function isOfMappings({ items }: SchemaPart): boolean {
  return typeof items === 'object' && items !== null && '$ref' in items;
}

function examplesOf({ examples, $ref }: SchemaPart): readonly unknown[] {
  if (Array.isArray(examples)) return examples;
  const name = String($ref).replace('#/definitions/', '');
  const definition = (schema.definitions as Readonly<Record<string, SchemaPart>>)[name];
  return definition ? examplesOf(definition) : [];
}

/** As YAML in one line. */
function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}

/** `one, two or three`. */
function orList(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
