/** The AI SDK, unmodified, through each provider that speaks one of the gateway's shapes. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, type ToolSet } from 'ai';
import { type Address, type ClientDriver, SIGHT, TOOLS } from './client-driver.ts';
import { describeJourneys } from './journeys.ts';

const settingsOf = ({ url, key: apiKey, fetch }: Address) => ({ baseURL: `${url}/v1`, apiKey, fetch });
/** The gateway does not store answers for later turns, so items have to be sent again, whole. */
const STATELESS = { openai: { store: false } };

describeJourneys('the AI SDK with its OpenAI provider, in chat', (address) =>
  driverOf(createOpenAI(settingsOf(address)).chat(address.model), { showsReasoning: false }),
);
describeJourneys('the AI SDK with its OpenAI provider, in responses', (address) =>
  driverOf(createOpenAI(settingsOf(address)).responses(address.model), { showsReasoning: false }),
);
describeJourneys('the AI SDK with its OpenAI-compatible provider', (address) =>
  driverOf(createOpenAICompatible({ name: 'sluice', ...settingsOf(address) })(address.model), {
    showsReasoning: true,
  }),
);
describeJourneys('the AI SDK with its Anthropic provider', (address) =>
  driverOf(createAnthropic(settingsOf(address))(address.model), { showsReasoning: true }),
);

function driverOf(model: LanguageModel, { showsReasoning }: { showsReasoning: boolean }): ClientDriver {
  const tools = toolsThat();
  const common = { model, providerOptions: STATELESS };
  const reasoningOf = (text: string | undefined) => (showsReasoning ? (text ?? '') : null);
  const callsOf = (calls: readonly { toolName: string; input: unknown }[]) =>
    calls.map(({ toolName, input }) => ({ name: toolName, input }));
  return {
    async ask(prompt) {
      const { text, reasoningText, toolCalls } = await generateText({ ...common, prompt, tools });
      return { text, reasoning: reasoningOf(reasoningText), calls: callsOf(toolCalls) };
    },
    async stream(prompt, leaveAfter = Number.POSITIVE_INFINITY) {
      const leaving = new AbortController();
      const { signal: abortSignal } = leaving;
      const stream = streamText({ ...common, prompt, tools, abortSignal, onError: () => {} });
      let text = '';
      let reasoning = '';
      let pieces = 0;
      const calls: { toolName: string; input: unknown }[] = [];
      for await (const part of stream.fullStream) {
        if (part.type === 'error') throw part.error;
        if (part.type === 'reasoning-delta') reasoning += part.text;
        if (part.type === 'tool-call') calls.push(part);
        if (part.type !== 'text-delta') continue;
        text += part.text;
        if (++pieces === leaveAfter) leaving.abort();
      }
      return { text, reasoning: reasoningOf(reasoning), calls: callsOf(calls) };
    },
    async useTool(prompt) {
      const able = toolsThat(() => SIGHT);
      return (await generateText({ ...common, prompt, tools: able, stopWhen: isStepCount(3) })).text;
    },
  };
}

/** The tools; without `execute` their calls are returned to the caller. */
function toolsThat(execute?: () => string): ToolSet {
  const described = TOOLS.map(({ name, description, schema }) => [
    name,
    { description, inputSchema: jsonSchema(schema), ...(execute ? { execute } : {}) },
  ]);
  return Object.fromEntries(described);
}
