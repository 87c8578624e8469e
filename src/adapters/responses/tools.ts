/**
 * Tools and tool_choice. Function tools are flat here and nested in chat, whose form is understood too; tools that the vendor would run itself are
 * silently dropped, because clients send them whether or not they need them. Spec 4.4.
 */
import type { JsonObject } from '#orders/request.ts';
import { functionFields, isObject, refusal } from '../common/fields.ts';
import type { ResponseBody } from '../common/wire-shape.ts';

type ToolFields = Pick<ResponseBody, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** A function tool as it is echoed: with all keys, null for those that were not sent. */
export type FunctionTool = ReturnType<typeof functionTool>;

/** The function tools of a request, in their order. Throws invalid_request. */
export function functionTools({ tools }: ToolFields): FunctionTool[] {
  return (tools ?? []).flatMap((tool, index) => {
    const place = `tools[${index}]`;
    if (typeof tool.type !== 'string') throw refusal(place, `${place} must be an object with a type.`);
    return tool.type === 'function' ? [functionTool(tool, place)] : [];
  });
}

function functionTool(sent: JsonObject, at: string) {
  const [tool, place] = isObject(sent.function) ? [sent.function, `${at}.function`] : [sent, at];
  const { name, description, schema: parameters } = functionFields(tool, place, 'parameters');
  const { strict = null } = tool;
  if (strict !== null && typeof strict !== 'boolean')
    throw refusal(`${place}.strict`, `${place}.strict must be true or false.`);
  return { name, description, parameters, strict };
}

/** `tools`, `tool_choice` and `parallel_tool_calls` of chat; no key without tools. Throws invalid_request. */
export function chatTools(body: ToolFields, tools: readonly FunctionTool[]): JsonObject {
  const choice = body.tool_choice ?? null;
  const chosen = choice === null ? {} : { tool_choice: chatChoice(choice, tools) };
  const parallel = body.parallel_tool_calls ?? null;
  if (tools.length === 0) return {};
  return {
    tools: tools.map(chatTool),
    ...chosen,
    ...(parallel === null ? {} : { parallel_tool_calls: parallel }),
  };
}

function chatTool({ name, description, parameters, strict }: FunctionTool): JsonObject {
  const described = {
    name,
    ...(description === null ? {} : { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict === null ? {} : { strict }),
  };
  return { type: 'function', function: described };
}

/** A choice that names a dropped tool becomes auto. */
function chatChoice(choice: unknown, tools: readonly FunctionTool[]): unknown {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (!isObject(choice) || typeof choice.type !== 'string')
    throw refusal('tool_choice', 'tool_choice must be none, auto, required, or an object that names a function.');
  if (choice.type === 'allowed_tools') {
    const { mode } = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    return mode === 'required' ? 'required' : 'auto';
  }
  if (choice.type !== 'function') return 'auto';
  const { name } = isObject(choice.function) ? choice.function : choice;
  if (typeof name !== 'string') throw refusal('tool_choice.name', 'tool_choice.name must be the name of a function.');
  return tools.some((tool) => tool.name === name) ? { type: 'function', function: { name } } : 'auto';
}
