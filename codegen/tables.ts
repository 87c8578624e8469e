/** Generates the operations table: what the server needs to know of each operation before its handler runs. */
import { type ApiDocument, EVENT_STREAM, type Operation, operationsOf } from './document.ts';

/** Source of operations.ts. */
export function operationsTable(document: ApiDocument): string {
  const rows = operationsOf(document).map((operation) => `  ${operation.id}: ${JSON.stringify(row(operation))},`);
  return `// ${document.stamp}
/**
 * Every operation by its operationId. \`path\` has its parameters in braces; \`security\` says which keys are accepted;
 * \`limitClass\` is the rate class it counts against; \`scope\` says what its key must be allowed; \`statuses\` are the
 * documented ones; \`body\` is the kind of body that it requires; \`streams\` says that a 200 may be an event stream.
 */
export const operations = {
${rows.join('\n')}
} as const;

/** The name of an operation. */
export type OperationId = keyof typeof operations;
/** A rate class that requests count against. */
export type LimitClass = (typeof operations)[OperationId]['limitClass'];
`;
}

function row({
  method,
  path,
  tag,
  security,
  limitClass,
  scope,
  roles,
  tokenScope,
  responses,
  body,
}: Operation): object {
  return {
    method,
    path,
    tag,
    security,
    limitClass,
    ...(scope ? { scope } : {}),
    ...(roles ? { roles } : {}),
    ...(tokenScope ? { tokenScope } : {}),
    statuses: responses.map(({ status }) => status),
    body,
    streams: responses.some(({ content }) => EVENT_STREAM in content),
  };
}

/** The document as JSON. The stamp is its first key, because JSON has no comments. */
export function documentJson({ root, stamp }: ApiDocument): string {
  const text = JSON.stringify(root, null, 1);
  return `{ "x-generated": ${JSON.stringify(stamp)},${text.slice(1)}\n`;
}
