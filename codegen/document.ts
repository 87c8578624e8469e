/**
 * Reads the interface document for the generator: its operations, schemas and hash. Only the conventions of
 * openapi.yaml are supported; whatever breaks one is an error that names the place.
 */
import { createHash } from 'node:crypto';
import { parse } from 'yaml';

/** A JSON object of the document. */
export type Json = { readonly [key: string]: unknown };

/** The parsed document, and the first line of every generated file. */
export interface ApiDocument {
  readonly root: Json;
  readonly stamp: string;
}

/**
 * Who may call an operation: anyone, a bearer key, a key in either of the two headers, a signed-in member, or one that
 * also proves with the CSRF token that its own page sends the request; instead of a member also a token of the operator.
 */
export type Security =
  | 'open'
  | 'key'
  | 'key-or-header'
  | 'session'
  | 'session-csrf'
  | 'session-or-token'
  | 'session-csrf-or-token';

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  /** In lower case, as in OpenAPI. */
  readonly method: string;
  /** With parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly tag: string;
  readonly security: Security;
  readonly limitClass: string;
  /** What its key must be allowed; null for operations without a key. */
  readonly scope: string | null;
  /** For operations of members, the roles that may call it, of the account and of the operator; null otherwise. */
  readonly roles: Json | null;
  /** For operations that a token of the operator may call, the scope that it needs; null otherwise. */
  readonly tokenScope: string | null;
  /** The schema of the JSON request body; null without one. */
  readonly bodySchema: Json | null;
  /** The kind of body that the operation requires; null for none. */
  readonly body: 'json' | 'multipart' | null;
  readonly parameters: readonly Parameter[];
  readonly responses: readonly OperationResponse[];
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: Json;
}

/** One documented response. */
export interface OperationResponse {
  readonly status: number;
  /**
   * Media types with their schemas, in document order; empty for a response without a body. That of `text/event-stream`
   * is the schema of the JSON in one event.
   */
  readonly content: Readonly<Record<string, Json>>;
}

/** The media type of streams. */
export const EVENT_STREAM = 'text/event-stream';

const METHODS = ['get', 'put', 'post', 'delete', 'head', 'patch', 'options'];

/** Parses a whole document in JSON or YAML. Throws on text that is not an object. */
export function readDocument(text: string, name = 'openapi.yaml'): ApiDocument {
  const root = objectAt(parse(text), name);
  const hash = createHash('sha256').update(text).digest('hex');
  return { root, stamp: `Written by codegen/generate.ts from ${name} (sha256 ${hash}). Do not edit.` };
}

/** Every operation in document order. Throws an error that names the operation when one breaks a convention. */
export function operationsOf({ root }: ApiDocument): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(objectAt(root.paths, 'paths'))) {
    for (const [method, operation] of Object.entries(objectAt(item, path))) {
      if (METHODS.includes(method)) operations.push(readOperation(root, path, method, objectAt(operation, path)));
    }
  }
  const ids = operations.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated) throw new Error(`Two operations are called ${repeated}.`);
  return operations;
}

/** The component schemas by name. */
export function schemasOf({ root }: ApiDocument): Readonly<Record<string, Json>> {
  const components = objectAt(root.components ?? {}, 'components');
  return objectAt(components.schemas ?? {}, 'components.schemas') as Readonly<Record<string, Json>>;
}

function readOperation(root: Json, path: string, method: string, operation: Json): Operation {
  const place = `${method.toUpperCase()} ${path}`;
  const id = textAt(operation.operationId, `operationId of ${place}`);
  if (!/^[a-z][A-Za-z0-9]*$/.test(id)) throw new Error(`${id} (${place}) is not a camelCase operationId.`);
  const body = operation.requestBody;
  const bodyContent = body === undefined ? {} : contentOf(root, body, `requestBody of ${id}`);
  const security = securityOf(root, operation, id);
  return {
    id,
    method,
    path,
    tag: textAt((operation.tags as unknown[] | undefined)?.[0], `first tag of ${id}`),
    security,
    limitClass: textAt(operation['x-limit-class'], `x-limit-class of ${id}`),
    scope: security.startsWith('key') ? textAt(operation['x-scope'], `x-scope of ${id}`) : null,
    roles: security.startsWith('session') ? objectAt(operation['x-roles'], `x-roles of ${id}`) : null,
    tokenScope: security.endsWith('-or-token') ? textAt(operation['x-token-scope'], `x-token-scope of ${id}`) : null,
    bodySchema: schemaOf(bodyContent['application/json']),
    body: bodyKind(bodyContent, id),
    parameters: ((operation.parameters ?? []) as Json[]).map((written) => readParameter(root, written, id)),
    responses: Object.entries(objectAt(operation.responses, `responses of ${id}`)).map(([status, response]) =>
      readResponse(root, `${status} of ${id}`, status, response),
    ),
  };
}

function readParameter(root: Json, written: Json, id: string): Parameter {
  const { name, in: place, required, schema } = resolve(root, written);
  return {
    name: textAt(name, `name of a parameter of ${id}`),
    place: textAt(place, `place of a parameter of ${id}`),
    required: required === true,
    schema: objectAt(schema, `schema of ${name} of ${id}`),
  };
}

function bodyKind(content: Readonly<Record<string, Json>>, id: string): Operation['body'] {
  const types = Object.keys(content);
  if (types.length === 0) return null;
  if (types.includes('application/json')) return 'json';
  if (types.includes('multipart/form-data')) return 'multipart';
  throw new Error(`The requestBody of ${id} is neither JSON nor a form.`);
}

function readResponse(root: Json, place: string, status: string, response: unknown): OperationResponse {
  if (!/^[1-5]\d\d$/.test(status)) throw new Error(`${place}: a status must be three digits.`);
  const content = contentOf(root, response, place);
  const schemas = Object.entries(content).map(([type, media]): [string, Json] => {
    if (type === EVENT_STREAM) textAt(schemaOf(media)?.$ref, `The reference to the schema of an event, ${place},`);
    const [form = {}, ...others] = formsOf(root, media);
    return [type, others.length > 0 ? { anyOf: [form, ...others] } : form];
  });
  return { status: Number(status), content: Object.fromEntries(schemas) };
}

/** The parts of a union. A body, or one event of a stream, matches at least one of them. */
export function formsOf(root: Json, media: Json): readonly Json[] {
  const schema = schemaOf(media) ?? {};
  const { oneOf, 'x-takes': takes } = resolve(root, schema);
  return (oneOf ?? (takes as Json | undefined)?.anyOf ?? [schema]) as Json[];
}

function contentOf(root: Json, holder: unknown, place: string): Readonly<Record<string, Json>> {
  const content = resolve(root, objectAt(holder, place)).content ?? {};
  return objectAt(content, `content of ${place}`) as Readonly<Record<string, Json>>;
}

function schemaOf(media: Json | undefined): Json | null {
  return (media?.schema as Json | undefined) ?? null;
}

function securityOf(root: Json, operation: Json, id: string): Security {
  const alternatives = operation.security ?? root.security;
  if (!Array.isArray(alternatives)) throw new Error(`${id} has no security array.`);
  const names = alternatives.flatMap((alternative: Json) => Object.keys(alternative));
  if (names.length === 0) return 'open';
  if (names.includes('sessionCookie')) {
    const session = names.includes('csrfToken') ? 'session-csrf' : 'session';
    return names.includes('operatorToken') ? `${session}-or-token` : session;
  }
  return names.length === 1 ? 'key' : 'key-or-header';
}

/** Resolves a local reference; returns any other value as it is. Throws on a broken reference. */
export function resolve(root: Json, value: Json): Json {
  const pointer = value.$ref;
  if (typeof pointer !== 'string') return value;
  const target = pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], root);
  return resolve(root, objectAt(target, pointer));
}

function objectAt(value: unknown, place: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place} is not an object.`);
  return value as Json;
}

function textAt(value: unknown, place: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${place} is missing.`);
  return value;
}
