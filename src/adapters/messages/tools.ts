/** Tools and tool_choice. Fields for the models of another vendor (caching, deferral) are dropped. Spec 4.5. */
import type { JsonObject } from '#orders/request.ts';
import { functionFields, isObject, refusal } from '../common/fields.ts';
import type { CountBody } from '../common/wire-shape.ts';

/** `tools`, `tool_choice` and `parallel_tool_calls` of chat; no key without tools. Throws invalid_request. */
export function chatTools({ tools: sent, tool_choice: choice }: ToolFields): JsonObject {
  const tools = (sent ?? []).map((tool, index) => chatFunction(tool, `tools[${index}]`));
  const names = tools.map(({ name }) => name);
  const chosen = (choice ?? null) === null ? {} : toolChoice(choice, names);
  return tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })), ...chosen };
}

interface ToolFields {
  readonly tools?: CountBody['tools'];
  /** Unknown, because the schema for counting tokens does not have it. */
  readonly tool_choice?: unknown;
}

function chatFunction(tool: JsonObject, place: string): { name: string; description?: string; parameters: JsonObject } {
  if ((tool.type ?? 'custom') !== 'custom')
    throw refusal(
      `${place}.type`,
      `${place}: built-in tools such as ${JSON.stringify(tool.type)} are not supported. Send name, description and input_schema.`,
    );
  const { name, description, schema } = functionFields(tool, place, 'input_schema');
  return {
    name,
    ...(description === null ? {} : { description }),
    parameters: schema ?? { type: 'object', properties: {} },
  };
}

function toolChoice(choice: unknown, names: readonly string[]): JsonObject {
  if (!isObject(choice)) throw refusal('tool_choice', 'tool_choice must be an object.');
  const single = choice.disable_parallel_tool_use ?? false;
  if (typeof single !== 'boolean')
    throw refusal('disable_parallel_tool_use', 'disable_parallel_tool_use must be true or false.');
  return { tool_choice: chatChoice(choice, names), ...(single ? { parallel_tool_calls: false } : {}) };
}

function chatChoice({ type, name }: JsonObject, names: readonly string[]): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type;
    case 'any':
      if (names.length === 0) throw refusal('tool_choice', 'tool_choice asks for a tool, but tools is empty.');
      return 'required';
    case 'tool':
      if (typeof name !== 'string' || !names.includes(name))
        throw refusal('tool_choice.name', 'tool_choice.name must be the name of one of tools.');
      return { type: 'function', function: { name } };
    default:
      throw refusal('tool_choice.type', 'tool_choice.type must be auto, any, tool or none.');
  }
}
