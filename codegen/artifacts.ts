/** Renders every file of generated/ in memory, to be written or compared. */
import { readDocument } from './document.ts';
import { queryReaders } from './queries.ts';
import { documentJson, operationsTable } from './tables.ts';
import { requestValidators, responseValidators } from './validators.ts';
import { wireTypes } from './wire-types.ts';

/**
 * Generated files by name, from the text of the whole document and its name. Throws when the document breaks a
 * convention.
 */
export async function artifactsOf(text: string, name?: string): Promise<ReadonlyMap<string, string>> {
  const document = readDocument(text, name);
  const requests = requestValidators(document);
  const responses = responseValidators(document);
  return new Map([
    ['types.ts', await wireTypes(document)],
    ['operations.ts', operationsTable(document)],
    ['queries.ts', queryReaders(document)],
    ['validators.js', requests.js],
    ['validators.d.ts', requests.dts],
    ['response-validators.js', responses.js],
    ['response-validators.d.ts', responses.dts],
    ['openapi.json', documentJson(document)],
  ]);
}
