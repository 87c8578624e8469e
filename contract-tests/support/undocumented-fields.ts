/**
 * Fields of an answer that the document does not name. Its objects all say `additionalProperties: true`, because a
 * client must survive a field that it has never seen; but the server must not send one.
 */
import { resolved, type Schema } from './document.ts';

/**
 * JSON pointers to the fields that `schema` does not name; what a schema leaves open is not searched. Of several forms,
 * the one that names the most fields counts.
 */
export function undocumentedFieldsIn(schema: Schema, value: unknown, place = ''): string[] {
  const { properties, items, additionalProperties, oneOf } = resolved(schema);
  if (oneOf) {
    const [fewest = []] = oneOf
      .map((form) => undocumentedFieldsIn(form, value, place))
      .sort((a, b) => a.length - b.length);
    return fewest;
  }
  if (Array.isArray(value))
    return items ? value.flatMap((item, at) => undocumentedFieldsIn(items, item, `${place}/${at}`)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const rest = typeof additionalProperties === 'object' ? additionalProperties : null;
  if (!properties && !rest) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties?.[name] ?? rest;
    return known ? undocumentedFieldsIn(known, field, `${place}/${name}`) : [`${place}/${name}`];
  });
}
