/**
 * Tools and tool_choice. Function tools are flat here and nested in chat, whose form is understood too. A custom tool takes
 * one text; where the listing says so, it becomes a function with that text as its only parameter. Tools that the vendor
 * would run itself are silently dropped, because clients send them whether or not they need them. Spec 4.4.
 */
import { CUSTOM_TOOLS, type JsonObject } from '#orders/request.ts';
import { functionFields, isObject, refusal } from '../common/fields.ts';
import type { ResponseBody } from '../common/wire-shape.ts';

type ToolFields = Pick<ResponseBody, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** A tool that is kept, as it is echoed: a function with all its keys, null for those that were not sent. */
export type KeptTool = ReturnType<typeof functionTool> | ReturnType<typeof customTool>;

/** The function tools of a request, and its custom tools where they are `taken`, in their order. Throws invalid_request. */
export function keptTools({ tools }: ToolFields, { custom: taken }: { readonly custom: boolean }): KeptTool[] {
  return (tools ?? []).flatMap((tool, index): KeptTool[] => {
    const place = `tools[${index}]`;
    if (typeof tool.type !== 'string') throw refusal(place, `${place} must be an object with a type.`);
    if (tool.type === 'function') return [functionTool(tool, place)];
    return tool.type === 'custom' && taken ? [customTool(tool, place)] : [];
  });
}

function functionTool(sent: JsonObject, at: string) {
  const [tool, place] = isObject(sent.function) ? [sent.function, `${at}.function`] : [sent, at];
  const { name, description, schema: parameters } = functionFields(tool, place, 'parameters');
  const { strict = null } = tool;
  if (strict !== null && typeof strict !== 'boolean')
    throw refusal(`${place}.strict`, `${place}.strict must be true or false.`);
  return { type: 'function' as const, name, description, parameters, strict };
}

function customTool(tool: JsonObject, place: string) {
  const { name, description, schema: format } = functionFields(tool, place, 'format');
  return {
    type: 'custom' as const,
    name,
    ...(description === null ? {} : { description }),
    ...(format === null ? {} : { format }),
  };
}

/** `tools`, `tool_choice` and `parallel_tool_calls` of chat; no key without tools. Throws invalid_request. */
export function chatTools(body: ToolFields, tools: readonly KeptTool[]): JsonObject {
  const choice = body.tool_choice ?? null;
  const chosen = choice === null ? {} : { tool_choice: chatChoice(choice, tools) };
  const parallel = body.parallel_tool_calls ?? null;
  if (tools.length === 0) return {};
  const custom = tools.filter(({ type }) => type === 'custom').map(({ name }) => name);
  return {
    tools: tools.map(chatTool),
    ...chosen,
    ...(parallel === null ? {} : { parallel_tool_calls: parallel }),
    ...(custom.length === 0 ? {} : { [CUSTOM_TOOLS]: custom }),
  };
}

function chatTool(tool: KeptTool): JsonObject {
  const { name, description, parameters, strict } = tool.type === 'custom' ? asFunction(tool) : tool;
  const described = {
    name,
    ...(description === null ? {} : { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict === null ? {} : { strict }),
  };
  return { type: 'function', function: described };
}

/** The parameters of a function that stands for a custom tool. */
const TEXT_INPUT = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

/** The grammar of its input becomes a part of the description: engines enforce none for a parameter. */
function asFunction({ name, description: said, format }: ReturnType<typeof customTool>) {
  const { syntax, definition } = format ?? {};
  const grammar = typeof definition === 'string' ? [`The input follows this ${syntax} grammar:\n${definition}`] : [];
  const texts = [...(said === undefined ? [] : [said]), ...grammar];
  return { name, description: texts.length === 0 ? null : texts.join('\n\n'), parameters: TEXT_INPUT, strict: null };
}

/** The arguments of a function that stands for a custom tool, from the input of a call. */
export function customArguments(input: string): string {
  return JSON.stringify({ input });
}

/**
 * The input in the arguments of such a function: its parameter, or the only text by another name. A model may also write
 * its input without any JSON around it.
 */
export function customInput(text: string): string {
  try {
    const sent: unknown = JSON.parse(text);
    if (!isObject(sent)) return text;
    const [only = '', ...others] = Object.values(sent);
    const input = others.length === 0 ? only : sent.input;
    return typeof input === 'string' ? input : text;
  } catch {
    return text;
  }
}

/** A choice that names a dropped tool becomes auto. */
function chatChoice(choice: unknown, tools: readonly KeptTool[]): unknown {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (!isObject(choice) || typeof choice.type !== 'string')
    throw refusal('tool_choice', 'tool_choice must be none, auto, required, or an object that names a function.');
  if (choice.type === 'allowed_tools') {
    const { mode } = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    return mode === 'required' ? 'required' : 'auto';
  }
  if (choice.type !== 'function' && choice.type !== 'custom') return 'auto';
  const nested = choice[choice.type];
  const { name } = isObject(nested) ? nested : choice;
  if (typeof name !== 'string') throw refusal('tool_choice.name', 'tool_choice.name must be the name of a tool.');
  const isKept = tools.some((tool) => tool.type === choice.type && tool.name === name);
  return isKept ? { type: 'function', function: { name } } : 'auto';
}
