/**
 * Converts OpenAPI 3.0 schemas to JSON Schema (draft 7), which ajv compiles. The two differ in `nullable`, in boolean
 * exclusive bounds, and in keywords that only describe.
 */
import type { Json } from './document.ts';

/** The id of the component schemas for ajv; every reference is rewritten to point into it. */
const COMPONENTS_ID = 'components.json';

const DESCRIPTIVE = new Set([
  'title',
  'description',
  'example',
  'deprecated',
  'discriminator',
  'externalDocs',
  'xml',
  'readOnly',
  'writeOnly',
  'default',
]);
const OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf'];
const OF_ONE_SCHEMA = ['items', 'not', 'additionalProperties'];

/** The document of components to which the references of `toJsonSchema` point. */
export function componentsSchema(schemas: Readonly<Record<string, Json>>): Json {
  const defs = Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]);
  return { $id: COMPONENTS_ID, $defs: Object.fromEntries(defs) };
}

/** Converts a schema and everything in it. Does not change its argument. */
export function toJsonSchema(whole: Json): Json {
  if (typeof whole.$ref === 'string') return { $ref: referenceTo(whole.$ref) };
  const schema = withoutLaterChecks(whole);
  const converted: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DESCRIPTIVE.has(keyword) || keyword.startsWith('x-') || keyword === 'nullable') continue;
    converted[keyword] = convertKeyword(keyword, value);
  }
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof converted[exclusive] !== 'boolean') continue;
    if (converted[exclusive]) converted[exclusive] = converted[bound];
    else delete converted[exclusive];
    if (converted[exclusive] !== undefined) delete converted[bound];
  }
  return schema.nullable === true ? orNull(converted) : converted;
}

/**
 * The part of an object's schema that validators check. With `x-checked-where-read` the rest is for callers: the code that
 * reads the object refuses what breaks it, and says more than a validator could.
 */
export function withoutLaterChecks(schema: Json): Json {
  if (schema['x-checked-where-read'] !== true) return schema;
  const { type, nullable, description } = schema;
  return { type, nullable, description, additionalProperties: true };
}

function convertKeyword(keyword: string, value: unknown): unknown {
  if (OF_SCHEMAS.includes(keyword)) return (value as Json[]).map(toJsonSchema);
  if (OF_ONE_SCHEMA.includes(keyword) && typeof value === 'object') return toJsonSchema(value as Json);
  if (keyword === 'properties') {
    return Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, toJsonSchema(part as Json)]));
  }
  return value;
}

/**
 * `nullable: true` adds null to the type and the enumeration. A schema without a type applies unless the value is null;
 * this is written without `anyOf`, so that the first error is the one inside the schema.
 */
function orNull(schema: Record<string, unknown>): Json {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { if: { type: 'null' }, else: schema };
  const allowed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, type: [type, 'null'], ...allowed };
}

function referenceTo(pointer: string): string {
  const name = /^#\/components\/schemas\/([A-Za-z0-9_]+)$/.exec(pointer)?.[1];
  if (!name) throw new Error(`${pointer} is not a reference to a component schema.`);
  return `${COMPONENTS_ID}#/$defs/${name}`;
}
