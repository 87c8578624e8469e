/**
 * Fields that take values of several types, as the endpoints read them: copied into the TypeScript client, and the source of
 * the typed dicts of the Python client (python-types.ts), so it stays in the part of TypeScript that union-types.ts reads.
 * It is handwritten: the document describes these fields in words, because most generators make unusable code of a union.
 */

/** One text, or up to four, at which the output ends. */
export type StopStrings = string | string[];

/** When the order must have started: whole seconds from now, or a time. */
export type Deadline = number | string | Date;

/** The prompt of a text completion: one text. */
export type Prompt = string | [string];

/** A part of a chat message. */
export type ChatContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string; detail?: 'auto' | 'low' | 'high' } }
  | { type: 'refusal'; refusal: string };

/** The content of a chat message: a text, or its parts. */
export type ChatContent = string | ChatContentPart[];

/** A JSON Schema. */
export type JsonSchemaObject = { [key: string]: unknown };

/** A tool of a chat. */
export type ChatTool =
  | {
      type: 'function';
      function: { name: string; description?: string; parameters?: JsonSchemaObject; strict?: boolean | null };
    }
  | { type: 'custom'; custom: { name: string; description?: string; format?: { [key: string]: unknown } } };

/** Which tool a chat must call. */
export type ChatToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; function: { name: string } }
  | { type: 'custom'; custom: { name: string } }
  | { type: 'allowed_tools'; allowed_tools: { mode: 'auto' | 'required'; tools: { [key: string]: unknown }[] } };

/** The form of a chat's answer. */
export type ChatResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      json_schema: { name: string; description?: string; schema?: JsonSchemaObject; strict?: boolean | null };
    };

/** A call of a tool, in the answer of the model and in the history. */
export type ChatToolCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } };

/** What a chunk of a chat adds to the answer. */
export interface ChatDelta {
  role?: 'assistant';
  content?: string | null;
  reasoning_content?: string;
  tool_calls?: {
    index: number;
    id?: string;
    type?: 'function' | 'custom';
    function?: { name?: string; arguments?: string };
    custom?: { name?: string; input?: string };
  }[];
}

/** A block of text. */
export interface TextBlock {
  type: 'text';
  text: string;
  cache_control?: { [key: string]: unknown } | null;
}

/** The system prompt of a message. */
export type SystemText = string | TextBlock[];

/** A block of the model's answer in the Messages shape. */
export type MessageBlock =
  | TextBlock
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'redacted_thinking'; data?: string }
  | { type: 'tool_use'; id: string; name: string; input?: { [key: string]: unknown } | null };

/** The result of a tool in the Messages shape. */
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | (TextBlock | { type: 'tool_reference'; tool_name: string })[] | null;
  is_error?: boolean;
}

/** An image in the Messages shape. */
export interface ImageBlock {
  type: 'image';
  source: { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string };
}

/** The content of a turn in the Messages shape. */
export type MessageContent = string | (MessageBlock | ToolResultBlock | ImageBlock)[];

/** A part of an item in the Responses shape. */
export type ResponsePart =
  | { type: 'input_text' | 'text'; text: string }
  | { type: 'output_text'; text: string; annotations?: unknown[]; logprobs?: unknown[] }
  | { type: 'refusal'; refusal: string }
  | { type: 'input_image'; image_url: string; detail?: 'auto' | 'low' | 'high' };

/** An item of a Responses conversation. */
export type ResponseItem =
  | { type?: 'message'; role: 'user' | 'assistant' | 'system' | 'developer'; content: string | ResponsePart[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string; id?: string; status?: string }
  | { type: 'function_call_output'; call_id: string; output: string | ResponsePart[] }
  | { type: 'reasoning'; content?: { type?: string; text: string }[] | null; id?: string; summary?: unknown[] };

/** The input of a response. */
export type ResponseInput = string | ResponseItem[];

/** The instructions of a response. */
export type ResponseInstructions = string | ResponseItem[];

/** A tool of a response. */
export type ResponseTool =
  | {
      type: 'function';
      name: string;
      description?: string | null;
      parameters?: JsonSchemaObject | null;
      strict?: boolean | null;
    }
  | { type: 'custom'; name: string; description?: string; format?: { [key: string]: unknown } };

/** Which tool a response must call. */
export type ResponseToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function' | 'custom'; name: string }
  | { type: 'allowed_tools'; mode: 'auto' | 'required'; tools: { [key: string]: unknown }[] };

/** The form of a response's text. */
export type ResponseTextFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: JsonSchemaObject; description?: string; strict?: boolean | null };

/** An item of a response's output. */
export type ResponseOutputItem =
  | { type: 'message'; id: string; role: 'assistant'; status: string; content: ResponsePart[] }
  | { type: 'function_call'; id: string; call_id: string; name: string; arguments: string; status: string }
  | { type: 'custom_tool_call'; id: string; call_id: string; name: string; input: string; status?: string }
  | { type: 'reasoning'; id: string; summary: unknown[]; content?: { type: string; text: string }[] };

/** The body of a stored result: a completion, a response or a message, as `kind` says. */
// biome-ignore lint/suspicious/noExplicitAny: its type depends on the endpoint of the order.
export type ResultBody = any;
