/**
 * Renders the schemas of what is not HTTP: the configuration file, as a validator, types and a schema for editors; and the
 * messages between gateways, as a validator. Both are written by hand as JSON Schema (draft 7) in YAML.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Ajv, type AnySchema, type Options } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';
import type { Json } from './document.ts';
import { REQUIRE, readable } from './validators.ts';

const CONFIGURATION = 'src/config/schema.yaml';
const MESSAGES = 'src/cluster/messages.schema.yaml';

const YAML = { merge: true, maxAliasCount: -1 } as const;

interface SchemaSource {
  readonly schema: Json;
  readonly stamp: string;
}

/** Files of generated/schemas by name. Throws when a schema is wrong. */
export async function schemaFiles(): Promise<ReadonlyMap<string, string>> {
  const [configuration, messages] = [await read(CONFIGURATION), await read(MESSAGES)];
  return new Map([
    ['configuration.json', editorSchema(configuration)],
    ['configuration-types.ts', await typesOf(configuration)],
    ['configuration.js', configurationValidator(configuration)],
    ['configuration.d.ts', `// ${configuration.stamp}\n${CONFIGURATION_TYPES}`],
    ['peer-message.js', messageValidator(messages)],
    ['peer-message.d.ts', `// ${messages.stamp}\n${MESSAGE_TYPES}`],
  ]);
}

async function read(name: string): Promise<SchemaSource> {
  const text = await readFile(new URL(`../${name}`, import.meta.url), 'utf8');
  // Keys of ours: parts that are used several times, and marks for docs/understand/departures.md.
  const schema = parse(text, (key, value) => (String(key).startsWith('x-') ? undefined : value), YAML) as Json;
  const hash = createHash('sha256').update(text).digest('hex');
  return { schema, stamp: `Written by codegen/generate.ts from ${name} (sha256 ${hash}). Do not edit.` };
}

/** As the gateway takes a file: a key that is not required may stand there without a value. */
function editorSchema({ schema }: SchemaSource): string {
  return `${JSON.stringify(optionalMayBeNull(schema), null, 2)}\n`;
}

function optionalMayBeNull(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(optionalMayBeNull);
  if (typeof part !== 'object' || part === null) return part;
  const schema = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, optionalMayBeNull(value)]));
  const { properties, required = [] } = schema as { properties?: Readonly<Record<string, Json>>; required?: string[] };
  if (!properties) return schema;
  const widened = Object.entries(properties).map(([name, property]) => {
    return [name, required.includes(name) ? property : orNull(property)];
  });
  return { ...schema, properties: Object.fromEntries(widened) };
}

function orNull({ $ref, type, enum: values, ...others }: Json): Json {
  if ($ref !== undefined) return { anyOf: [{ $ref }, { type: 'null' }], ...others };
  if (values !== undefined) return { enum: [...(values as unknown[]), null], ...others };
  return type === undefined ? others : { type: [type, 'null'].flat(), ...others };
}

/** Types by the names of the definitions, and `Configuration` for the whole. */
async function typesOf({ schema, stamp }: SchemaSource): Promise<string> {
  const { definitions, ...Configuration } = schema;
  const schemas = eitherWay({ Configuration, ...(definitions as Json) });
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas } };
  const tree = await openapiTypescript(JSON.stringify(document).replaceAll('#/definitions/', '#/components/schemas/'), {
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: true,
  });
  return `// ${stamp}\n${astToString(tree)}`;
}

/** TypeScript has no conditions: what `if` decides is one or the other. */
function eitherWay(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(eitherWay);
  if (typeof part !== 'object' || part === null) return part;
  const { if: condition, then: one, else: other, ...schema } = part as Json;
  const whole = condition === undefined ? schema : { ...schema, oneOf: [one, other] };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, eitherWay(value)]));
}

/** Sets defaults in what it checks; its errors have the schema that refused, which the sentences are made of. */
function configurationValidator({ schema, stamp }: SchemaSource): string {
  const ajv = ajvWith({ useDefaults: true, verbose: true });
  ajv.addKeyword('errorMessage');
  ajv.addSchema(schema as AnySchema, 'configuration');
  return moduleOf(ajv, stamp, { isConfiguration: 'configuration', isLimits: 'configuration#/definitions/Limits' });
}

function messageValidator({ schema, stamp }: SchemaSource): string {
  const ajv = ajvWith({ discriminator: true });
  ajv.addSchema(schema as AnySchema, 'message');
  return moduleOf(ajv, stamp, {
    isPeerMessage: 'message',
    isGreeting: 'message#/definitions/Greeting',
    isHello: 'message#/definitions/Hello',
  });
}

function ajvWith(options: Options): Ajv {
  return new Ajv({
    strict: true,
    strictRequired: false,
    inlineRefs: false,
    messages: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
    ...options,
  });
}

function moduleOf(ajv: Ajv, stamp: string, names: Readonly<Record<string, string>>): string {
  const code = readable(standalone.default(ajv, names));
  return `// ${stamp}\n${REQUIRE}${code}\nexport { ${Object.keys(names).join(', ')} };\n`;
}

const CONFIGURATION_TYPES = `import type { ValidationError } from '../validators.js';
import type { Configuration, Limits } from './configuration-types.ts';

/** An error of ajv, with the schema that refused the value. */
export interface SchemaError extends ValidationError {
  readonly parentSchema: Readonly<Record<string, unknown>>;
}

/** Whether a value fits, once absent keys have their defaults, which are set. After a failure \`errors\` has the first error. */
export interface SchemaValidator<Shape> {
  (value: unknown): value is Shape;
  errors?: readonly SchemaError[] | null;
}

/** The whole file. */
export declare const isConfiguration: SchemaValidator<Configuration>;
/** What is below \`limits\`. */
export declare const isLimits: SchemaValidator<Limits>;
`;

const MESSAGE_TYPES = `/** Whether a value is a message of a gateway: its type and its required fields. */
export declare const isPeerMessage: (value: unknown) => boolean;
/** Whether a value is what a gateway says first when it dials another one. */
export declare const isGreeting: (value: unknown) => boolean;
/** Whether a value is the next message of both. */
export declare const isHello: (value: unknown) => boolean;
`;
