/**
 * Fields of an answer that the document does not name. Its objects all say `additionalProperties: true`, because a
 * client must survive a field that it has never seen; for the server that is no leave to send one.
 */
import { resolved, type Schema } from './document.ts';

/** JSON pointers to the fields that `schema` does not know; what a schema leaves open is not looked into. */
export function straysIn(schema: Schema, value: unknown, place = ''): string[] {
  const { properties, items, additionalProperties } = resolved(schema);
  if (Array.isArray(value)) return items ? value.flatMap((item, at) => straysIn(items, item, `${place}/${at}`)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const rest = typeof additionalProperties === 'object' ? additionalProperties : null;
  if (!properties && !rest) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties?.[name] ?? rest;
    return known ? straysIn(known, field, `${place}/${name}`) : [`${place}/${name}`];
  });
}
