/** Generates the readers of query parameters from their schemas, of the functions in src/contract/query.ts. */
import { type ApiDocument, type Json, operationsOf, type Parameter } from './document.ts';

/** Source of queries.ts. */
export function queryReaders(document: ApiDocument): string {
  const used = new Set<string>();
  const rows = operationsOf(document).flatMap(({ id, parameters }) => {
    const fields = parameters
      .filter(({ place }) => place === 'query')
      .map((parameter) => {
        const reader = readerOf(parameter, id);
        used.add(reader.slice(0, reader.indexOf('(')));
        return `${parameter.name}: ${reader}`;
      });
    return fields.length === 0 ? [] : [`  ${id}: queryOf({ ${fields.join(', ')} }),`];
  });
  const names = [...used].sort();
  return `// ${document.stamp}
import { ${[...names, 'queryOf'].join(', ')} } from '#contract/query.ts';

/** The reader of the query of every operation that has one, by operationId. */
export const queries = {
${rows.join('\n')}
} as const;
`;
}

/** The source of a parameter's reader. \`x-reads\` is the schema of its value where that is not the schema of its text. */
function readerOf({ name, required, schema }: Parameter, id: string): string {
  const reads = (schema['x-reads'] ?? {}) as Json;
  const value: Json = { ...schema, ...reads };
  const standard = JSON.stringify(schema.default ?? null);
  const bounds = `${value.minimum}, ${value.maximum}`;
  switch (value.type) {
    case 'array':
      return `list(${JSON.stringify((value.items as Json).enum)})`;
    case 'boolean':
      return 'trueFlag()';
    case 'number':
      return `decimal(${bounds}, ${standard})`;
    case 'integer':
      if (value.enum) return `stepBelow(${JSON.stringify(value.enum)})`;
      if (reads.maximum) return `clamped(${bounds}, ${standard})`;
      return required ? `requiredWhole(${bounds})` : `whole(${bounds}, ${standard})`;
    case 'string':
      break;
    default:
      throw new Error(`The parameter ${name} of ${id} has a type that no query is read as.`);
  }
  if (reads.format === 'day-start' || reads.format === 'day-end') return `timestamp('${reads.format.slice(4)}')`;
  if (reads.format === 'id-prefix') return `idPrefix(${schema.minLength})`;
  if (reads.enum) return `choiceOr(${JSON.stringify(reads.enum)}, ${standard})`;
  if (schema.enum) return `choice(${JSON.stringify(schema.enum)}, ${standard})`;
  return schema.maxLength ? `plainText(${schema.maxLength})` : 'plainText()';
}
