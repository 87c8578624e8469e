/**
 * Standalone ajv validators: plain modules that need no compilation at the start. Requests and responses are in two
 * modules, because a running gateway loads only the first; contract tests load the second.
 */
import { Ajv, type AnySchema } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { type ApiDocument, EVENT_STREAM, type Json, type Operation, operationsOf, schemasOf } from './document.ts';
import { componentsSchema, toJsonSchema } from './json-schema.ts';

/** A module and its declarations. */
export interface ValidatorModule {
  readonly js: string;
  readonly dts: string;
}

/** One exported table of validators: its keys, their schemas, and the TypeScript type that each checks. */
interface Table {
  readonly name: string;
  readonly comment: string;
  readonly entries: readonly { readonly key: string; readonly schema: Json; readonly proves: string }[];
}

/** Validators of JSON request bodies, by operationId. */
export function requestValidators(document: ApiDocument): ValidatorModule {
  const entries = operationsOf(document).flatMap(({ id, bodySchema }) =>
    bodySchema ? [{ key: id, schema: bodySchema, proves: bodyType(id) }] : [],
  );
  return writeModule(document, REQUEST_HEAD, [
    { name: 'requestBodies', comment: 'Validators of JSON request bodies, by operationId.', entries },
  ]);
}

/** Validators of JSON responses, by `operationId status`, and of stream frames, by operationId. */
export function responseValidators(document: ApiDocument): ValidatorModule {
  const operations = operationsOf(document);
  return writeModule(document, RESPONSE_HEAD, [
    {
      name: 'responseBodies',
      comment: 'Validators of JSON responses, by `operationId status`.',
      entries: operations.flatMap((operation) => entriesOf(operation, JSON_TYPES, (status) => ` ${status}`)),
    },
    {
      name: 'streamFrames',
      comment: 'Validators of the JSON in one frame of a stream, by operationId.',
      entries: operations.flatMap((operation) => entriesOf(operation, [EVENT_STREAM], () => '')),
    },
  ]);
}

/** An answer has one of them at most. */
const JSON_TYPES = ['application/json', 'application/problem+json'];

/** The answers of an operation in one of these media types; its name and what `suffix` makes of the status is the key. */
function entriesOf(
  { id, responses }: Operation,
  types: readonly string[],
  suffix: (status: number) => string,
): Table['entries'] {
  return responses.flatMap(({ status, content }) => {
    const type = types.find((name) => content[name]);
    const schema = type && content[type];
    if (!schema) return [];
    const proves = `operations['${id}']['responses'][${status}]['content']['${type}']`;
    return [{ key: `${id}${suffix(status)}`, schema, proves }];
  });
}

function bodyType(id: string): string {
  return `NonNullable<operations['${id}']['requestBody']>['content']['application/json']`;
}

function writeModule(document: ApiDocument, head: string, tables: readonly Table[]): ValidatorModule {
  const ajv = new Ajv({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  });
  addFormats.default(ajv);
  ajv.addSchema(componentsSchema(schemasOf(document)));
  const symbols = new Map<string, string>();
  const lookups = tables.map(({ name, entries }) => {
    const lines = entries.map(({ key, schema }) => `  ${JSON.stringify(key)}: ${symbolFor(ajv, symbols, schema)},`);
    return `export const ${name} = {\n${lines.join('\n')}\n};\n`;
  });
  const names = [...symbols.values()];
  const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  return {
    js: `// ${document.stamp}\n${REQUIRE}${readable(code)}\n${lookups.join('')}`,
    dts: `// ${document.stamp}\n${head}${tables.map(declare).join('')}`,
  };
}

/** One validator per distinct schema: hundreds of responses share a few bodies. */
function symbolFor(ajv: Ajv, symbols: Map<string, string>, schema: Json): string {
  const text = JSON.stringify(schema);
  const known = symbols.get(text);
  if (known) return known;
  const component = /^#\/components\/schemas\/(\w+)$/.exec(String(schema.$ref))?.[1];
  const symbol = component ? `is${component}` : `isInline${symbols.size}`;
  ajv.addSchema(toJsonSchema(schema) as AnySchema, symbol);
  symbols.set(text, symbol);
  return symbol;
}

/** Source of ajv in ESM without its exports. One line per declaration, so that a diff shows which validators have changed. */
export function readable(code: string): string {
  return code
    .replace(/^"use strict";/, '')
    .replaceAll(/;(?=export const |const schema|const func|const formats|function )/g, ';\n')
    .replaceAll(/}(?=export const |const schema|function )/g, '}\n')
    .replaceAll(/^export const /gm, 'const ');
}

function declare({ name, comment, entries }: Table): string {
  const lines = entries.map(({ key, proves }) => `  readonly ${JSON.stringify(key)}: Validator<${proves}>;`);
  return `\n/** ${comment} */\nexport declare const ${name}: {\n${lines.join('\n')}\n};\n`;
}

/** Begins every module: the ESM output of ajv still loads its runtime with require(). */
export const REQUIRE =
  "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";

const REQUEST_HEAD = `import type { operations } from './types.ts';

/** An error of ajv; \`instancePath\` is a JSON pointer into the value. */
export interface ValidationError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Whether a value has the documented shape. After a failure \`errors\` has the first error. */
export interface Validator<Shape> {
  (value: unknown): value is Shape;
  errors?: readonly ValidationError[] | null;
}
`;

const RESPONSE_HEAD = `import type { operations } from './types.ts';
import type { Validator } from './validators.js';
`;
