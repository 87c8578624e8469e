/** Every file of generated/, made in memory, so that writing and comparing are one idea. */
import openapiTypescript, { astToString } from 'openapi-typescript';
import { type ApiDocument, readDocument } from './document.ts';
import { documentJson, operationsTable } from './tables.ts';
import { requestValidators, responseValidators } from './validators.ts';

/** File names within generated/ and their contents. Throws when the document breaks a convention. */
export async function artifactsOf(yaml: string): Promise<ReadonlyMap<string, string>> {
  const document = readDocument(yaml);
  const requests = requestValidators(document);
  const responses = responseValidators(document);
  return new Map([
    ['types.ts', await types(document)],
    ['operations.ts', operationsTable(document)],
    ['validators.js', requests.js],
    ['validators.d.ts', requests.dts],
    ['response-validators.js', responses.js],
    ['response-validators.d.ts', responses.dts],
    ['openapi.json', documentJson(document)],
  ]);
}

async function types({ root, stamp }: ApiDocument): Promise<string> {
  const tree = await openapiTypescript(JSON.stringify(root), {
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: false,
  });
  return `// ${stamp}\n${astToString(tree)}`;
}
