/**
 * Every request and response body must have an example. A rule of Redocly checks JSON examples against their schemas;
 * the frames of streams and the lines of files are checked here, because Redocly takes them for plain text.
 */
import { Ajv, type AnySchema } from 'ajv';
import addFormats from 'ajv-formats';
import { type ApiDocument, type Json, resolve, schemasOf } from '../document.ts';
import { componentsSchema, toJsonSchema } from '../json-schema.ts';
import { type Body, bodiesOf } from './bodies.ts';

/** Bodies without an example, and examples whose frames or lines do not match their schemas; one sentence each. */
export function exampleFindings(document: ApiDocument): string[] {
  const ajv = new Ajv({ strict: false, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addSchema(componentsSchema(schemasOf(document)));
  return bodiesOf(document).flatMap((body) => {
    const examples = Object.values((body.media.examples ?? {}) as Json).map((example) =>
      resolve(document.root, example as Json),
    );
    if (examples.length === 0) return [`${body.place} has no example.`];
    return examples.flatMap(({ value }) => (typeof value === 'string' ? textFindings(ajv, body, value) : []));
  });
}

function textFindings(ajv: Ajv, { place, media }: Body, text: string): string[] {
  const schemas = [media['x-frame-schema'] ?? media['x-line-schema'] ?? []].flat() as string[];
  if (schemas.length === 0) return [];
  const anyOf = schemas.map(($ref) => toJsonSchema({ $ref }));
  const validate = ajv.compile({ anyOf } as AnySchema);
  return piecesOf(text, media['x-frame-schema'] !== undefined).flatMap((piece) =>
    validate(JSON.parse(piece)) ? [] : [`${place}: an example does not match ${schemas.join(' and ')}: ${piece}`],
  );
}

function piecesOf(text: string, isStream: boolean): string[] {
  const lines = text.split('\n').filter((line) => (isStream ? line.startsWith('data: ') : line !== ''));
  return lines.map((line) => (isStream ? line.slice('data: '.length) : line)).filter((line) => line !== '[DONE]');
}
