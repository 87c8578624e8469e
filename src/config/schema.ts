/**
 * The JSON Schema of the file, for editors, out of what its readers asked for. It says what a single value may be, and
 * which keys there are where another one decides that, such as `type` of a model. What depends on several values, on
 * names being unique or on the environment only `sluice config check` knows.
 */
import type { AskedKey, AskedShapes, AskedValue, MappingShape } from './shapes.ts';

/** A JSON Schema, draft 7: what editors of YAML understand. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The schema of the whole file. `shapes` must have noted readings that took each way through the readers. */
export function schemaOf(shapes: AskedShapes): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The configuration of Sluice',
    description: 'docs/configuration.md explains every key; `sluice config check` also knows what depends on several.',
    ...mappingAt('', shapes),
  };
}

function mappingAt(path: string, shapes: AskedShapes): JsonSchema {
  const read = shapes.at(path);
  if (read.some((shape) => shape.hasFreeNames))
    return { type: ['object', 'null'], additionalProperties: mappingAt(`${path}.*`, shapes) };
  const decider = deciderOf(read);
  if (decider === null) return objectOf(read, shapes);
  return byDecider(decider, read, shapes);
}

/** One after the other, so that an editor complains about the keys of the one that was meant. */
function byDecider(decider: string, read: readonly MappingShape[], shapes: AskedShapes): JsonSchema {
  const groups = Map.groupBy(read, (shape) => signatureOf(shape));
  const [first = [], ...others] = [...groups.values()].sort(
    (a, b) => Number(isDefault(a, decider)) - Number(isDefault(b, decider)),
  );
  if (others.length === 0) return objectOf(first, shapes);
  const values = [...new Set(first.map((shape) => shape.values.get(decider)))];
  return {
    if: { type: 'object', required: [decider], properties: { [decider]: { enum: values } } },
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
    then: objectOf(first, shapes),
    else: byDecider(decider, others.flat(), shapes),
  };
}

/** Whether it holds, too, where the deciding key is absent. */
function isDefault(read: readonly MappingShape[], decider: string): boolean {
  return read.some((shape) => shape.values.get(decider) === shape.asked.get(decider)?.value.default);
}

/** The flag or choice on which depends which keys there are; null where that is always the same, or nothing tells. */
function deciderOf(read: readonly MappingShape[]): string | null {
  if (new Set(read.map(signatureOf)).size < 2) return null;
  const [first] = read;
  for (const key of first?.values.keys() ?? []) {
    if (!read.every((shape) => shape.values.has(key))) continue;
    const byValue = Map.groupBy(read, (shape) => shape.values.get(key));
    const decides = [...byValue.values()].every((shapes) => new Set(shapes.map(signatureOf)).size === 1);
    if (decides) return key;
  }
  return null;
}

function signatureOf({ asked }: MappingShape): string {
  return [...asked.keys()].sort().join(' ');
}

/** Where nothing tells how a mapping is read, it may be any of the ways. */
function objectOf(read: readonly MappingShape[], shapes: AskedShapes): JsonSchema {
  const ways = [...Map.groupBy(read, signatureOf).values()].map((same) => oneObject(same, shapes));
  const [only] = ways;
  return ways.length === 1 && only ? only : { anyOf: ways };
}

function oneObject(read: readonly MappingShape[], shapes: AskedShapes): JsonSchema {
  const keys = [...new Set(read.flatMap((shape) => [...shape.asked.keys()]))];
  const asked = (key: string) => read.flatMap((shape) => shape.asked.get(key) ?? []);
  const required = keys.filter((key) => asked(key).every((one) => one.required));
  const properties = keys.map((key) => [key, anyOf(asked(key), read[0]?.path ?? '', shapes)]);
  const type = required.length > 0 ? 'object' : ['object', 'null'];
  return {
    type,
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(properties),
  };
}

/** Where a reading took a way without the key, it may be absent on the others, too. */
function anyOf(asked: readonly AskedKey[], path: string, shapes: AskedShapes): JsonSchema {
  const valued = asked.filter(({ value }) => value.type !== 'null');
  if (valued.length === 0) return { type: 'null' };
  const isOptional = valued.length < asked.length;
  const schemas = valued.map((key) => keyOf({ ...key, required: key.required && !isOptional }, path, shapes));
  const [first = {}, ...others] = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** A key that is not required may also have no value. */
function keyOf({ value, required }: AskedKey, path: string, shapes: AskedShapes): JsonSchema {
  const schema = partOf(value, path, shapes);
  if (required) return schema;
  if (value.mapping !== undefined) return schema.type === 'object' ? { anyOf: [schema, { type: 'null' }] } : schema;
  if (value.enum) return { ...schema, enum: [...value.enum, null] };
  return { ...schema, type: [value.type ?? [], 'null'].flat() };
}

function partOf(value: AskedValue, path: string, shapes: AskedShapes): JsonSchema {
  if (value.mapping !== undefined) return mappingAt(shapes.below(path, value.mapping), shapes);
  return value.items ? { ...value, items: partOf(value.items, path, shapes) } : { ...value };
}
