/**
 * The refusals of the Messages routes are those of the other routes in another envelope (Spec 7). A part names the
 * response whose twin it is; here the twin gets the headers, the description and the example of that response.
 */
import { type Json, resolve } from './document.ts';

/** Completes every response with `x-messages-twin: {of, type}`. A description or example of its own is kept. */
export function withMessagesTwins(root: Json): Json {
  const components = (root.components ?? {}) as Components;
  const examples = new Map(Object.entries(components.examples ?? {}));
  const responses = Object.entries(components.responses ?? {}).map(([name, response]) => [
    name,
    response['x-messages-twin'] ? twinOf(root, response as TwinPart, examples) : response,
  ]);
  if (responses.length === 0) return root;
  const whole = { responses: Object.fromEntries(responses), examples: Object.fromEntries(examples) };
  return { ...root, components: { ...components, ...whole } };
}

type Components = Readonly<Partial<Record<'responses' | 'examples', Readonly<Record<string, Json>>>>>;

interface TwinPart extends Json {
  readonly 'x-messages-twin': { readonly of: string; readonly type: string };
}

const SCHEMA = { $ref: '#/components/schemas/MessagesErrorEnvelope' };
const REQUEST_ID = { $ref: '#/components/headers/MessagesRequestId' };

/** Adds the example to `examples`, once for all responses that refer to it. */
function twinOf(root: Json, { 'x-messages-twin': twin, ...own }: TwinPart, examples: Map<string, Json>): Json {
  const { description, headers, content } = resolve(root, { $ref: `#/components/responses/${twin.of}` });
  const show = () => ({ refusal: exampleOf(root, content as Content, twin.type, examples) });
  return {
    description: String(description).replace(/^(\d{3})( `\w+`)?\./, `$1 \`${twin.type}\`.`),
    headers: { ...(headers as Json), 'request-id': REQUEST_ID },
    ...own,
    content: { [JSON_TYPE]: { schema: SCHEMA, examples: (own.content as Content)?.[JSON_TYPE].examples ?? show() } },
  };
}

const JSON_TYPE = 'application/json';
type Content = Readonly<Record<typeof JSON_TYPE, { readonly examples: Readonly<Record<string, Json>> }>> | undefined;

/** A reference to the first example of the other response, in the Messages envelope. */
function exampleOf(root: Json, content: Content, type: string, examples: Map<string, Json>): Json {
  const [written = {}] = Object.values(content?.[JSON_TYPE].examples ?? {});
  const name = `Messages${String(written.$ref).split('/').at(-1)}`;
  const { summary, value } = resolve(root, written) as { summary?: string; value?: { error: Json } };
  const { message, code } = value?.error ?? {};
  const { example: request_id } = resolve(root, REQUEST_ID);
  examples.set(name, { summary, value: { type: 'error', error: { type, message, code }, request_id } });
  return { $ref: `#/components/examples/${name}` };
}
