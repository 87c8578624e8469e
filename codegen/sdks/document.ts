/**
 * The interface document for the client generators. They know one response per operation and wait for all of it, so an
 * operation with 200 and 202 becomes two, operations that only stream are omitted, and of a response with several forms
 * only the first is kept. Nothing else is changed: any other problem of a generator is solved in openapi.yaml
 * (docs/decisions/0001-openapi-3.0.3.md).
 */
import { type Json, readDocument, resolve } from '../document.ts';

type Operation = Json & {
  readonly operationId?: string;
  readonly parameters?: readonly Json[];
  readonly responses?: Readonly<Record<string, Json>>;
};
type PathItem = Readonly<Record<string, Operation>>;

/** The document for the generators, from the text of the whole document. Throws when that is not an object. */
export function clientDocument(text: string): Json {
  const { root } = readDocument(text);
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(root.paths as Readonly<Record<string, PathItem>>)) {
    const entries = Object.entries(item)
      .filter(([, operation]) => !onlyStreams(operation))
      .map(([method, operation]): [string, Operation] => [method, inFirstForm(root, operation)]);
    if (entries.length === 0) continue;
    paths[path] = Object.fromEntries(
      entries.map(([method, each]) => [method, detachable(each) ? attached(each) : each]),
    );
    const detached = entries.filter(([, operation]) => detachable(operation));
    // Clients do not send the fragment, so the address is the same; a path allows only one operation per method.
    if (detached.length > 0)
      paths[`${path}#detached`] = Object.fromEntries(detached.map(([method, each]) => [method, detachedOf(each)]));
  }
  return { ...root, paths };
}

function onlyStreams(operation: Operation): boolean {
  const content = (operation.responses?.['200'] as { content?: Json } | undefined)?.content;
  const types = Object.keys(content ?? {});
  return types.length > 0 && types.every((type) => type === 'text/event-stream');
}

/** Removes the parameter that asks for another form; returns an operation without one as it is. */
function inFirstForm(root: Json, operation: Operation): Operation {
  const { parameters = [], responses = {} } = operation;
  const others = parameters.filter((parameter) => resolve(root, parameter)['x-chooses-form'] !== true);
  if (others.length === parameters.length) return operation;
  const { content, ...answer } = responses['200'] as { content: Readonly<Record<string, { schema: FormsSchema }>> };
  const firsts = Object.entries(content).map(([type, { schema }]) => [type, { schema: schema.anyOf[0] }]);
  return {
    ...operation,
    parameters: others,
    responses: { ...responses, '200': { ...answer, content: Object.fromEntries(firsts) } },
  };
}

interface FormsSchema {
  readonly anyOf: readonly Json[];
}

function detachable({ responses }: Operation): boolean {
  return responses !== undefined && '200' in responses && '202' in responses;
}

function attached(operation: Operation): Operation {
  const { '202': _, ...responses } = operation.responses ?? {};
  return { ...operation, responses };
}

function detachedOf(operation: Operation): Operation {
  const { '200': _, ...responses } = operation.responses ?? {};
  return {
    ...operation,
    operationId: operation.operationId?.replace(/^create/, 'createDetached') ?? '',
    summary: `${operation.summary}, detached`,
    description: 'Send `detached: true`. The order runs in the background: collect its result with `getOrderResult`.',
    responses,
  };
}
