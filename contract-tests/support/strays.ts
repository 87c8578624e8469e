/**
 * Fields of an answer that the document does not name. Its objects all say `additionalProperties: true`, because a
 * client must survive a field that it has never seen; for the server that is no leave to send one.
 */
import { resolved, type Schema } from './document.ts';

/**
 * JSON pointers to the fields that `schema` does not know; what a schema leaves open is not looked into. Of several
 * forms, the one counts that knows the most.
 */
export function straysIn(schema: Schema, value: unknown, place = ''): string[] {
  const { properties, items, additionalProperties, anyOf } = resolved(schema);
  if (anyOf) {
    const [fewest = []] = anyOf.map((form) => straysIn(form, value, place)).sort((a, b) => a.length - b.length);
    return fewest;
  }
  if (Array.isArray(value)) return items ? value.flatMap((item, at) => straysIn(items, item, `${place}/${at}`)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const rest = typeof additionalProperties === 'object' ? additionalProperties : null;
  if (!properties && !rest) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties?.[name] ?? rest;
    return known ? straysIn(known, field, `${place}/${name}`) : [`${place}/${name}`];
  });
}
