/** What openapi.yaml promises of each answer, for judging the answers that tests see. */
import { readFileSync } from 'node:fs';
import { type OperationId, operations } from '#generated/operations.ts';

interface Documented {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly $ref?: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly $ref?: string;
}

const document: unknown = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

/** The statuses that the document gives an operation. */
export function documentedStatuses(id: OperationId): readonly number[] {
  return operations[id].statuses;
}

/** The media types of one answer; empty for an answer without a body. */
export function documentedMediaTypes(id: OperationId, status: number): string[] {
  return Object.keys(answer(id, status).content ?? {});
}

/** Headers that one answer must carry, in lower case. */
export function requiredHeaders(id: OperationId, status: number): string[] {
  const headers = Object.entries(answer(id, status).headers ?? {});
  return headers.filter(([, header]) => resolve(header).required === true).map(([name]) => name.toLowerCase());
}

function answer(id: OperationId, status: number): Documented {
  const { path, method } = operations[id];
  return resolve(at(document, ['paths', path, method, 'responses', String(status)]) as Documented);
}

function resolve<Part extends { readonly $ref?: string }>(part: Part): Part {
  return part.$ref === undefined ? part : resolve(at(document, part.$ref.slice(2).split('/')) as Part);
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((part, key) => (part as Record<string, unknown>)[key], value);
}
