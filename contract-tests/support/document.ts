/** What the interface documents promise of each answer, to check the answers of tests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type OperationId, operations } from './operations.ts';

/** The parts of a schema that name fields. A local reference is resolved before use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  /** What stands for the schema where generators cannot read it (codegen/README.md). */
  readonly 'x-takes'?: { readonly anyOf?: readonly Schema[] };
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
}

/** A header of one answer; its name is in lower case. */
export interface DocumentedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** A schema that a frame of a stream may have. */
export interface DocumentedFrame {
  readonly name: string;
  readonly schema: Schema;
}

interface Answer {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Parameter extends Omit<ParameterExample, 'example'> {
  readonly $ref?: string;
  readonly example: unknown;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value: unknown }>>;
}

type Document = Readonly<Record<'paths' | 'components', Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** Both documents as one. */
const document = joined(read('openapi.json'), read('console-api/openapi.json'));

function read(name: string): Document {
  return JSON.parse(readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8'));
}

/** Components that both have are made of the same parts; one name for two things would be found here. */
function joined(one: Document, other: Document): Document {
  const kinds = new Set([...Object.keys(one.components), ...Object.keys(other.components)]);
  const components = [...kinds].map((kind) => {
    const [mine = {}, theirs = {}] = [one.components[kind], other.components[kind]];
    for (const name of Object.keys(mine)) if (name in theirs) assert.deepEqual(mine[name], theirs[name], name);
    return [kind, { ...mine, ...theirs }];
  });
  return { paths: { ...one.paths, ...other.paths }, components: Object.fromEntries(components) };
}

/** The documented statuses of an operation. */
export function documentedStatuses(id: OperationId): readonly number[] {
  return operations[id].statuses;
}

/** The media types of one answer; empty for an answer without a body. */
export function documentedMediaTypes(id: OperationId, status: number): string[] {
  return Object.keys(answer(id, status).content ?? {});
}

/** The schema of one answer's body. Throws when the answer has no body of this media type. */
export function documentedBody(id: OperationId, status: number, mediaType: string): Schema {
  return media(id, status, mediaType).schema;
}

/** The headers of one answer, besides those that every answer of a web server may have. */
export function documentedHeaders(id: OperationId, status: number): DocumentedHeader[] {
  return Object.entries(answer(id, status).headers ?? {}).map(([name, header]) => {
    const { required = false, schema } = resolved(header);
    return { name: name.toLowerCase(), required, schema: resolved(schema) };
  });
}

/** The schemas that frames of an operation's stream may have. Throws when it has no stream. */
export function documentedFrames(id: OperationId): DocumentedFrame[] {
  const named = documentedBody(id, 200, 'text/event-stream');
  const { oneOf, 'x-takes': takes } = resolved(named);
  return (oneOf ?? takes?.anyOf ?? [named]).map((schema) => ({
    name: schema.$ref?.split('/').at(-1) ?? id,
    schema: resolved(schema),
  }));
}

/** An example of a request's body. */
export interface RequestExample {
  readonly mediaType: string;
  readonly name: string;
  readonly example: unknown;
}

/** A parameter with its example, as text. */
export interface ParameterExample {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly example: string;
}

/** Every example of a request to an operation. */
export function requestExamples(id: OperationId): RequestExample[] {
  const content = operation(id).requestBody?.content ?? {};
  return Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
    Object.entries(examples).map(([name, example]) => ({ mediaType, name, example: resolved(example).value })),
  );
}

/** The parameters of an operation that are not part of its path and have an example, each with it. */
export function parameterExamples(id: OperationId): ParameterExample[] {
  return parametersOf(id)
    .filter((parameter) => parameter.in !== 'path' && parameter.example !== undefined)
    .map((parameter) => ({ ...parameter, example: String(parameter.example) }));
}

/** The names of an operation's parameters in the query, the path or the headers. */
export function documentedParameters(id: OperationId, place: ParameterExample['in']): string[] {
  return parametersOf(id)
    .filter((parameter) => parameter.in === place)
    .map(({ name }) => name);
}

/** A part of the document, or what it refers to. */
export function resolved<Part extends { readonly $ref?: string }>(part: Part): Part {
  return part.$ref === undefined ? part : resolved(at(document, part.$ref.slice(2).split('/')) as Part);
}

function media(id: OperationId, status: number, mediaType: string): Media {
  return at(answer(id, status), ['content', mediaType]) as Media;
}

function answer(id: OperationId, status: number): Answer {
  return resolved(operation(id).responses[String(status)] ?? {});
}

function parametersOf(id: OperationId): Parameter[] {
  return (operation(id).parameters ?? []).map(resolved);
}

function operation(id: OperationId): Operation {
  const { path, method } = operations[id];
  return at(document, ['paths', path, method]) as Operation;
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((part, key) => (part as Record<string, unknown>)[key], value);
}
