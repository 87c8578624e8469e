/**
 * Generates the wire types in TypeScript. Client generators cannot read the schema of a field of several JSON types, so
 * the document has it beside the field, in `x-takes`; TypeScript can, so here it replaces the schema of the field.
 */
import openapiTypescript, { astToString } from 'openapi-typescript';
import type { ApiDocument, Json } from './document.ts';
import { withoutLaterChecks } from './json-schema.ts';

/** Source of types.ts. A schema that `x-takes` refers to is exported under its name with the prefix `Value`. */
export async function wireTypes({ root, stamp }: ApiDocument): Promise<string> {
  const { 'x-values': values = {}, ...components } = (root.components ?? {}) as Json;
  const named = Object.entries(values as Json).map(([name, schema]) => [`Value${name}`, schema]);
  const schemas = { ...(components.schemas as Json), ...Object.fromEntries(named) };
  const tree = await openapiTypescript(
    JSON.stringify(takesInPlace({ ...root, components: { ...components, schemas } })),
    {
      immutable: true,
      rootTypes: true,
      rootTypesNoSchemaPrefix: true,
      defaultNonNullable: false,
      emptyObjectsUnknown: true,
    },
  );
  return `// ${stamp}\n${astToString(tree)}`;
}

/**
 * A part of the document in which `x-takes` replaces each schema without a type, and nothing stands that only the code
 * checks that reads it. Objects lose `additionalProperties: true`: it says that others may send more fields, but with it
 * the type would let any misspelt field pass.
 */
function takesInPlace(part: unknown): unknown {
  if (typeof part === 'string') return part.replace(/^#\/components\/x-values\//, '#/components/schemas/Value');
  if (Array.isArray(part)) return part.map(takesInPlace);
  if (typeof part !== 'object' || part === null) return part;
  const { 'x-takes': takes, ...schema } = withoutLaterChecks(part as Json);
  const whole = typeof takes === 'object' && schema.type === undefined ? { ...schema, ...takes } : schema;
  const isOpen = whole.properties !== undefined && whole.additionalProperties === true;
  return Object.fromEntries(
    Object.entries(whole)
      .filter(([name]) => !(isOpen && name === 'additionalProperties'))
      .map(([name, value]) => [name, takesInPlace(value)]),
  );
}
