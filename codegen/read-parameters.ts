/**
 * What the published document says of query parameters that are read as something else than their text: a pattern for
 * lists, and a sentence for what happens to values out of bounds. A part has these bounds once, in `x-reads`.
 */
import type { Json } from './document.ts';

/** Completes every parameter whose schema has `x-reads`. */
export function withReadParameters(root: Json): Json {
  const components = (root.components ?? {}) as Json;
  const parameters = Object.entries((components.parameters ?? {}) as Readonly<Record<string, Json>>);
  if (parameters.length === 0) return root;
  const completed = Object.fromEntries(parameters.map(([name, parameter]) => [name, complete(parameter)]));
  return { ...root, components: { ...components, parameters: completed } };
}

function complete(parameter: Json): Json {
  const schema = (parameter.schema ?? {}) as Json;
  const reads = schema['x-reads'] as Json | undefined;
  if (!reads) return parameter;
  const members = (reads.items as Json | undefined)?.enum as string[] | undefined;
  const member = members && `(${members.join('|')})`;
  return {
    ...parameter,
    description: [String(parameter.description).trim(), sentenceOf(schema, reads)].filter(Boolean).join(' '),
    schema: member ? { ...schema, pattern: `^(${member}(,${member})*)?$` } : schema,
  };
}

/** What the value becomes, or when it is refused; empty where the schema says all of it. */
function sentenceOf(schema: Json, reads: Json): string {
  const standard = schema.default;
  const values = (reads.enum ?? []) as unknown[];
  if (reads.type === 'array') return `Comma-separated: ${series((reads.items as Json).enum as string[], 'and')}.`;
  if (reads.type === 'number') return `From ${reads.minimum} to ${reads.maximum}.`;
  if (reads.type === 'integer')
    return `Rounded down to ${series(values, 'or')}; ${values[0]} when it is smaller, absent or not a number.`;
  if (reads.enum && standard !== undefined)
    return `${series(values, 'or')}. Anything else becomes ${standard}, which the response shows.`;
  if (standard !== undefined)
    return `${standard} by default. More than ${reads.maximum} becomes ${reads.maximum}; less than ${schema.minimum} or a fraction is 400.`;
  return '';
}

function series(values: readonly unknown[], word: string): string {
  return `${values.slice(0, -1).join(', ')} ${word} ${values.at(-1)}`;
}
