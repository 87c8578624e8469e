/**
 * The interface document for the client generators. They know one response per operation and wait for all of it, so an
 * operation with 200, 202 and 203 becomes three, of a response with several forms only the first is kept, and operations
 * that only stream come into a group of their own, `streams`, for which this folder has templates. A stream is text to
 * them: their readers give each event as it came. A request has no field that asks for another response than its
 * operation has: `detached` and `stream` are gone, and the fragment of the address says what the client adds (`FIXED`).
 */
import { EVENT_STREAM, type Json, readDocument, resolve } from '../document.ts';
import { errorLists } from './document-errors.ts';
import { withTypes } from './document-types.ts';
import type { Language } from './toolchains.ts';

/** The clients send it with every request, so no operation has it as a parameter. */
export const STRICT_HEADER = 'X-Strict';

type Operation = Json & {
  readonly operationId?: string;
  readonly parameters?: readonly Json[];
  readonly responses?: Readonly<Record<string, Json>>;
};
type PathItem = Readonly<Record<string, Operation>>;

/** What a client adds to a request by the fragment of its address, which is not sent: a header, a field of the body. */
export const FIXED = { '#dry-run': { header: 'X-Dry-Run' }, '#detached': { field: 'detached' } } as const;

/** Fields of requests that choose the response. */
const CHOOSING_FIELDS = ['stream', 'stream_options', 'detached'];

/** The document for the generator of a language, from the text of the whole one. Throws when that is not an object. */
export function clientDocument(text: string, language: Language): Json {
  const root = withTypes(withoutChoices(withoutUnions(readDocument(text).root, language)), language);
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(root.paths as Readonly<Record<string, PathItem>>)) {
    const entries = Object.entries(item)
      .filter(answers)
      .map(([method, whole]): [string, Operation] => {
        const operation = withoutParameters(whole, (each) => resolve(root, each).name === STRICT_HEADER);
        return [
          method,
          onlyStreams(operation) ? streamed(operation) : inFirstForm(root, withoutStream(root, operation)),
        ];
      });
    paths[path] = Object.fromEntries(entries.map(([method, each]) => [method, ordinary(root, each)]));
    // Clients do not send the fragment, so the address is the same; a path allows only one operation per method.
    for (const [name, { status, of }] of Object.entries(TWINS)) {
      const twins = entries.filter(([, { responses = {} }]) => '200' in responses && status in responses);
      if (twins.length > 0)
        paths[`${path}#${name}`] = Object.fromEntries(twins.map(([method, each]) => [method, of(root, each)]));
    }
  }
  return { ...root, ...errorLists(root), paths };
}

/** Whether an operation answers: the clients follow no redirects, so they have none that only redirects. */
function answers([, { responses = {} }]: readonly [string, Operation]): boolean {
  return Object.keys(responses).some((status) => status.startsWith('2'));
}

/** Without the fields of requests that choose the response. */
function withoutChoices(root: Json): Json {
  const { components, ...others } = root as { readonly components: Components };
  const schemas = Object.entries(components.schemas ?? {}).map(([name, schema]) => {
    const { properties } = schema as { readonly properties?: Json };
    if (!name.endsWith('Request') || !properties) return [name, schema];
    const kept = Object.entries(properties).filter(([key]) => !CHOOSING_FIELDS.includes(key));
    return [name, { ...schema, properties: Object.fromEntries(kept) }];
  });
  return { ...others, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

function onlyStreams(operation: Operation): boolean {
  const content = (operation.responses?.['200'] as { content?: Json } | undefined)?.content;
  const types = Object.keys(content ?? {});
  return types.length > 0 && types.every((type) => type === EVENT_STREAM);
}

/** The templates know what streams by `x-event-stream`; the group keeps it apart from what the generators write. */
function streamed(operation: Operation): Operation {
  return { ...operation, tags: ['streams'], 'x-event-stream': true };
}

/**
 * The first schema stands for each union whose form a parameter chooses, and text for the events of a stream. A file of
 * lines is text, too, where the generated client would save it among temporary files and leave it there.
 */
function withoutUnions(root: Json, language: Language): Json {
  const asText = language === 'go' || language === 'java' ? [EVENT_STREAM, 'application/jsonl'] : [EVENT_STREAM];
  const text = JSON.stringify(root, (key, part) => {
    if (asText.includes(key)) return { schema: { type: 'string' } };
    return part?.['x-chooses-form'] && part.oneOf ? part.oneOf[0] : part;
  });
  const { components = {}, ...others } = JSON.parse(text) as Json;
  const schemas = Object.entries((components as Components).schemas ?? {}).filter(([, { oneOf }]) => !oneOf);
  return { ...others, components: { ...(components as Components), schemas: Object.fromEntries(schemas) } };
}

interface Components {
  readonly schemas?: Readonly<Record<string, Json>>;
}

/** Removes the parameter that asks for another form; returns an operation without one as it is. */
function inFirstForm(root: Json, operation: Operation): Operation {
  return withoutParameters(operation, (parameter) => resolve(root, parameter)['x-chooses-form'] === true);
}

/** An operation that answers with JSON or a stream answers with JSON here, so it cannot be asked for the stream. */
function withoutStream(root: Json, operation: Operation): Operation {
  const isChoosing = (each: Json) =>
    ['stream', 'starting_after', 'Last-Event-ID'].includes(String(resolve(root, each).name));
  return withoutParameters(operation, isChoosing);
}

/** The operation as it is where it has none of these. */
function withoutParameters(operation: Operation, isRemoved: (parameter: Json) => boolean): Operation {
  const { parameters = [] } = operation;
  const others = parameters.filter((parameter) => !isRemoved(parameter));
  return others.length === parameters.length ? operation : { ...operation, parameters: others };
}

/** The operations that are made of one, by the status that each answers with. */
const TWINS = {
  detached: { status: '202', of: detachedOf },
  'dry-run': { status: '203', of: dryRunOf },
} as const;

/** With one response besides the errors, and without the parameter that asks for another. */
function withOnly(root: Json, operation: Operation, status: string): Operation {
  const { parameters, responses = {} } = operation;
  const kept = Object.entries(responses).filter(([each]) => each === status || !['200', '202', '203'].includes(each));
  const others = parameters?.filter((parameter) => !isDryRun(root, parameter));
  return { ...operation, ...(others ? { parameters: others } : {}), responses: Object.fromEntries(kept) };
}

function isDryRun(root: Json, parameter: Json): boolean {
  return resolve(root, parameter).name === 'X-Dry-Run';
}

function ordinary(root: Json, operation: Operation): Operation {
  return '200' in (operation.responses ?? {}) ? withOnly(root, operation, '200') : operation;
}

function detachedOf(root: Json, operation: Operation): Operation {
  return {
    ...withOnly(root, operation, '202'),
    operationId: operation.operationId?.replace(/^create/, 'createDetached') ?? '',
    summary: `${operation.summary}, detached`,
    description: 'The order runs in the background: collect its result with `getOrderResult`.',
  };
}

function dryRunOf(root: Json, operation: Operation): Operation {
  return {
    ...withOnly(root, operation, '203'),
    operationId: operation.operationId?.replace(/^create/, 'dryRun') ?? '',
    summary: `${operation.summary}, a dry run`,
    description: 'Nothing is taken: the answer is what the request would be held for, cost and wait.',
  };
}
