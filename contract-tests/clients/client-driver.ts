/** What the journeys need from a client. Nothing here needs Node, so that a browser can load it too. */

/** What an answer said, in words of no client. `reasoning` is null for a client that has no field for it. */
export interface ClientAnswer {
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/** A client with its address and model. Every request has the tools `look` and `listen`. */
export interface ClientDriver {
  ask(prompt: string): Promise<ClientAnswer>;
  /** Reads to the end, or disconnects after `leaveAfter` pieces of text. Rejects when the stream ends in an error. */
  stream(prompt: string, leaveAfter?: number): Promise<ClientAnswer>;
  /** Asks, runs the tool that is called, sends the call and its result back, and returns the text that follows. */
  useTool(prompt: string): Promise<string>;
}

/** Where to send requests. */
export interface Address {
  /** Without a path. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
}

/** What `look` returns for every place. */
export const SIGHT = 'a calm sea';
/** The tools, in JSON Schema. */
export const TOOLS = [tool('look', 'at'), tool('listen', 'to')] as const;

function tool(name: string, parameter: string) {
  return {
    name,
    description: `Says what is ${parameter} a place.`,
    schema: {
      type: 'object' as const,
      properties: { [parameter]: { type: 'string' as const } },
      required: [parameter],
      additionalProperties: false,
    },
  };
}
