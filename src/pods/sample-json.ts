/**
 * A small value that fits a JSON Schema, for the arguments of simulated calls and for simulated structured answers.
 * Handles the keywords that tools use and ignores the rest.
 */
import { sampleNumber } from './sample-number.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Enough for every real schema, and an end for recursive ones. Characters are counted roughly, as in the JSON. */
const DEPTH_MAX = 12;
const CHARACTERS_MAX = 20_000;
const VALUE_CHARACTERS = 16;

/** A value for `schema`; `{}` if the schema is not an object. Objects get all their properties. */
export function sampleOf(schema: unknown): unknown {
  return isSchema(schema) ? new Sampler(schema).sample(schema, 0) : {};
}

class Sampler {
  readonly #root: Schema;
  #characters = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  sample(schema: Schema, depth: number): unknown {
    if (depth > DEPTH_MAX || this.#characters > CHARACTERS_MAX) return null;
    this.#characters += VALUE_CHARACTERS;
    if ('const' in schema) return this.#given(schema.const);
    if ('default' in schema) return this.#given(schema.default);
    if (Array.isArray(schema.enum)) return this.#given(schema.enum[0] ?? null);
    const other = this.#referred(schema);
    if (other) return this.sample(other, depth + 1);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case 'string':
        return sampleText(schema);
      case 'integer':
      case 'number':
        return sampleNumber(schema, type);
      case 'boolean':
        return true;
      case 'null':
        return null;
      case 'array':
        return this.#list(schema, depth);
      default:
        return this.#object(schema, depth);
    }
  }

  #given(value: unknown): unknown {
    this.#characters += JSON.stringify(value)?.length ?? 0;
    return value;
  }

  /** The schema that replaces this one: the target of `$ref`, or the first choice. */
  #referred(schema: Schema): Schema | null {
    if (typeof schema.$ref === 'string') {
      const steps = schema.$ref.split('/').slice(1);
      const target = steps.reduce<unknown>((at, step) => (isSchema(at) ? at[step] : null), this.#root);
      return isSchema(target) ? target : null;
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const choices = schema[key];
      if (Array.isArray(choices) && isSchema(choices[0])) return choices[0];
    }
    return null;
  }

  #list(schema: Schema, depth: number): unknown[] {
    const { items } = schema;
    if (!isSchema(items)) return [];
    const length = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 16) : 1;
    return Array.from({ length }, () => this.sample(items, depth + 1));
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = Object.create(null);
    for (const [name, property] of isSchema(schema.properties) ? Object.entries(schema.properties) : []) {
      if (this.#characters > CHARACTERS_MAX) break;
      this.#characters += name.length;
      object[name] = isSchema(property) ? this.sample(property, depth + 1) : null;
    }
    return object;
  }
}

function sampleText(schema: Schema): string {
  const length = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 1_000) : 0;
  return 'simulated'.padEnd(length, '.');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
