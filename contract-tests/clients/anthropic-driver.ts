/** The official Anthropic client in the journeys. */
import type Anthropic from '@anthropic-ai/sdk';
import { type ClientAnswer, type ClientDriver, SIGHT, TOOLS } from './client-driver.ts';

/** Drives a client through messages. */
export function messagesDriver({ messages }: Anthropic, model: string): ClientDriver {
  const tools = TOOLS.map(({ schema, ...named }) => ({ ...named, input_schema: { ...schema, required: [] } }));
  const body = (turns: Anthropic.MessageParam[]) => ({ model, max_tokens: 512, messages: turns, tools });
  const asked = (content: string) => body([{ role: 'user', content }]);
  return {
    ask: async (prompt) => said((await messages.create(asked(prompt))).content),
    async stream(prompt, leaveAfter = Number.POSITIVE_INFINITY) {
      const stream = messages.stream(asked(prompt));
      let text = '';
      let pieces = 0;
      for await (const event of stream) {
        if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
        text += event.delta.text;
        if (++pieces === leaveAfter) return { text, reasoning: null, calls: [] };
      }
      return said((await stream.finalMessage()).content);
    },
    async useTool(prompt) {
      const { content } = await messages.create(asked(prompt));
      const results = content.flatMap((block) =>
        block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: SIGHT }] : [],
      );
      const turns = [...asked(prompt).messages, { role: 'assistant' as const, content: content as never }];
      return said((await messages.create(body([...turns, { role: 'user', content: results }]))).content).text;
    },
  };
}

function said(content: readonly Anthropic.ContentBlock[]): ClientAnswer {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [])),
  };
}
