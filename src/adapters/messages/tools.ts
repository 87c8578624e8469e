/** Tools and the choice among them. What only another vendor's models know (caching, deferral) is dropped. Spec 4.5. */
import type { JsonObject } from '#orders/request.ts';
import { isObject, optionalBoolean, optionalObject, refusal } from '../fields.ts';

/** `tools`, `tool_choice` and `parallel_tool_calls` as chat has them; no key without tools. Throws invalid_request. */
export function chatTools(body: JsonObject): JsonObject {
  const tools = toolList(body.tools ?? []);
  const choice = optionalObject(body, 'tool_choice');
  const names = tools.map(({ name }) => name);
  const chosen = choice === null ? {} : toolChoice(choice, names);
  return tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })), ...chosen };
}

interface ChatFunction {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
}

function toolList(tools: unknown): ChatFunction[] {
  if (!Array.isArray(tools)) throw refusal('tools', 'tools must be an array.');
  return tools.map((tool: unknown, index) => chatFunction(tool, `tools[${index}]`));
}

function chatFunction(tool: unknown, place: string): ChatFunction {
  if (!isObject(tool)) throw refusal(place, `${place} must be an object.`);
  if ((tool.type ?? 'custom') !== 'custom')
    throw refusal(
      `${place}.type`,
      `${place}: built-in tools such as ${JSON.stringify(tool.type)} are not served. Give name, description and input_schema.`,
    );
  const { name, description = null, input_schema: schema = null } = tool;
  if (typeof name !== 'string' || name === '')
    throw refusal(`${place}.name`, `${place}.name must be a string that is not empty.`);
  if (description !== null && typeof description !== 'string')
    throw refusal(`${place}.description`, `${place}.description must be a string.`);
  if (schema !== null && !isObject(schema))
    throw refusal(`${place}.input_schema`, `${place}.input_schema must be an object.`);
  return {
    name,
    ...(description === null ? {} : { description }),
    parameters: schema ?? { type: 'object', properties: {} },
  };
}

function toolChoice(choice: JsonObject, names: readonly string[]): JsonObject {
  const parallel = optionalBoolean(choice, 'disable_parallel_tool_use') === true ? { parallel_tool_calls: false } : {};
  return { tool_choice: chatChoice(choice, names), ...parallel };
}

function chatChoice({ type, name }: JsonObject, names: readonly string[]): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type;
    case 'any':
      if (names.length === 0) throw refusal('tool_choice', 'tool_choice asks for a tool, and tools has none.');
      return 'required';
    case 'tool':
      if (typeof name !== 'string' || !names.includes(name))
        throw refusal('tool_choice.name', 'tool_choice.name must be the name of one of tools.');
      return { type: 'function', function: { name } };
    default:
      throw refusal('tool_choice.type', 'tool_choice.type must be auto, any, tool or none.');
  }
}
