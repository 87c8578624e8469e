/**
 * A small value that fits a JSON Schema: arguments of simulated calls, and simulated structured answers. Reads the
 * keywords that tools are described with and ignores the rest.
 */

type Schema = Readonly<Record<string, unknown>>;

/** Deep enough for every real schema, and an end for those that contain themselves. */
const DEPTH_MAX = 12;

/** A value for `schema`; `{}` for a schema that is no object. Objects get all their properties. */
export function sampleOf(schema: unknown): unknown {
  return isSchema(schema) ? sample(schema, schema, 0) : {};
}

function sample(schema: Schema, root: Schema, depth: number): unknown {
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  if (depth > DEPTH_MAX) return null;
  const other = referred(schema, root);
  if (other) return sample(other, root, depth + 1);
  switch (typeOf(schema)) {
    case 'string':
      return sampleText(schema);
    case 'integer':
      return Math.ceil(lowest(schema));
    case 'number':
      return lowest(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return sampleList(schema, root, depth);
    default:
      return sampleObject(schema, root, depth);
  }
}

/** The schema that stands for this one: behind `$ref`, or the first choice. */
function referred(schema: Schema, root: Schema): Schema | null {
  if (typeof schema.$ref === 'string') {
    const steps = schema.$ref.split('/').slice(1);
    const target = steps.reduce<unknown>((at, step) => (isSchema(at) ? at[step] : null), root);
    return isSchema(target) ? target : null;
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const choices = schema[key];
    if (Array.isArray(choices) && isSchema(choices[0])) return choices[0];
  }
  return null;
}

function typeOf(schema: Schema): unknown {
  return Array.isArray(schema.type) ? schema.type[0] : schema.type;
}

function sampleText(schema: Schema): string {
  const length = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 1_000) : 0;
  return 'simulated'.padEnd(length, '.');
}

function lowest(schema: Schema): number {
  if (typeof schema.minimum === 'number') return schema.minimum;
  return typeof schema.maximum === 'number' ? Math.min(1, schema.maximum) : 1;
}

function sampleList(schema: Schema, root: Schema, depth: number): unknown[] {
  if (!isSchema(schema.items)) return [];
  const length = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 16) : 1;
  const item = sample(schema.items, root, depth + 1);
  return Array.from({ length }, () => item);
}

function sampleObject(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  return Object.fromEntries(
    properties.map(([name, property]) => [name, isSchema(property) ? sample(property, root, depth + 1) : null]),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
