/**
 * Every request and response body must have an example. A rule of Redocly checks JSON examples against their schemas;
 * the lines of files, which Redocly takes for plain text, and events, whose schema may be in `x-takes`, are checked here.
 */
import { Ajv, type AnySchema } from 'ajv';
import addFormats from 'ajv-formats';
import { type ApiDocument, EVENT_STREAM, formsOf, type Json, resolve, schemasOf } from '../document.ts';
import { componentsSchema, toJsonSchema } from '../json-schema.ts';
import { type Body, bodiesOf } from './bodies.ts';

/** Bodies without an example, and events and lines in examples that do not match their schemas; one sentence each. */
export function exampleFindings(document: ApiDocument): string[] {
  const ajv = new Ajv({ strict: false, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addSchema(componentsSchema(schemasOf(document)));
  return bodiesOf(document).flatMap((body) => {
    const examples = Object.values((body.media.examples ?? {}) as Json).map((example) =>
      resolve(document.root, example as Json),
    );
    if (examples.length === 0) return [`${body.place} has no example.`];
    return examples.flatMap(({ value }) => pieceFindings(ajv, document.root, body, value));
  });
}

function pieceFindings(ajv: Ajv, root: Json, { place, media }: Body, value: unknown): string[] {
  const lines = media['x-line-schema'] as Json[] | undefined;
  const schemas = lines ?? (place.endsWith(EVENT_STREAM) ? formsOf(root, media) : []);
  if (schemas.length === 0) return [];
  const validate = ajv.compile({ anyOf: schemas.map(toJsonSchema) } as AnySchema);
  const pieces = lines
    ? String(value)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [value];
  return pieces.flatMap((piece) =>
    validate(piece) ? [] : [`${place}: an example does not match its schema: ${JSON.stringify(piece)}`],
  );
}
