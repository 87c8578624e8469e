/** The first call with each client, ready to be copied. docs/buy/clients.md says more of each. */

/** Where the gateway is, and what is asked of it. */
export interface FirstCall {
  /** Such as `https://gateway.example`. */
  readonly origin: string;
  readonly model: string;
  /** The price limit in USD; null on a fixed-price model. */
  readonly limit: number | null;
  /** What the model is asked; a short question where it is absent. */
  readonly question?: string;
  /** The most output tokens; what the model allows where it is absent. Agents choose it themselves. */
  readonly outputMax?: number;
}

/** A client, and the text to copy. */
export interface Client {
  readonly name: string;
  /** Where the text goes. */
  readonly where: string;
  readonly text: (call: FirstCall) => string;
}

const QUESTION = 'What is a sluice?';

/** A text between the quotes of a shell, in which only a quote must be written otherwise. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The clients, the simplest first. */
export const clients: readonly Client[] = [
  {
    name: 'curl',
    where: 'In a shell.',
    text: ({ origin, model, limit, question = QUESTION, outputMax: max_tokens }) => {
      const messages = [{ role: 'user', content: question }];
      const body = JSON.stringify({ model, ...(limit === null ? {} : { price_limit: limit }), max_tokens, messages });
      return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $SLUICE_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${shellText(body)}`;
    },
  },
  {
    name: 'OpenAI, Python',
    where: 'pip install openai',
    text: ({ origin, model, limit, question = QUESTION, outputMax }) => `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["SLUICE_KEY"])
messages = [{"role": "user", "content": ${JSON.stringify(question)}}]
answer = client.chat.completions.create(
    model="${model}", messages=messages${outputMax === undefined ? '' : `, max_tokens=${outputMax}`}${limit === null ? '' : `, extra_body={"price_limit": ${limit}}`})
print(answer.choices[0].message.content, answer.usage.x_market)`,
  },
  {
    name: 'OpenAI, JavaScript',
    where: 'npm install openai',
    text: ({ origin, model, limit, question = QUESTION, outputMax }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.SLUICE_KEY });
const messages = [{ role: 'user', content: ${JSON.stringify(question)} }];
const answer = await client.chat.completions.create({
  model: '${model}', messages${outputMax === undefined ? '' : `, max_tokens: ${outputMax}`}${limit === null ? '' : `, price_limit: ${limit}`} });
console.log(answer.choices[0].message.content, answer.usage.x_market);`,
  },
  {
    name: 'Anthropic',
    where: 'pip install anthropic; the address is without /v1.',
    text: ({ origin, model, limit, question = QUESTION, outputMax = 500 }) => `import os
from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=os.environ["SLUICE_KEY"])
message = client.messages.create(
    model="${model}", max_tokens=${outputMax},
    messages=[{"role": "user", "content": ${JSON.stringify(question)}}]${limit === null ? '' : `,\n    extra_body={"max_price": ${limit}}`})
print(message.content[0].text)`,
  },
  {
    name: 'AI SDK',
    where: 'npm install ai @ai-sdk/openai-compatible',
    text: ({
      origin,
      model,
      limit,
      question = QUESTION,
      outputMax,
    }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const sluice = createOpenAICompatible({
  name: 'sluice',
  baseURL: '${origin}/v1',
  apiKey: process.env.SLUICE_KEY,${limit === null ? '' : `\n  headers: { 'X-Price-Limit': '${limit}' },`}
});
const { text } = await generateText({ model: sluice('${model}'), prompt: ${JSON.stringify(question)}, maxRetries: 0${outputMax === undefined ? '' : `, maxOutputTokens: ${outputMax}`} });
console.log(text);`,
  },
  {
    name: 'Codex',
    where: 'In ~/.codex/config.toml.',
    text: ({ origin, model, limit }) => `model = "${model}"
model_provider = "sluice"

[model_providers.sluice]
name = "Sluice"
base_url = "${origin}/v1"
env_key = "SLUICE_KEY"
wire_api = "responses"${limit === null ? '' : `\nhttp_headers = { "X-Price-Limit" = "${limit}" }`}
request_max_retries = 0
stream_max_retries = 0`,
  },
  {
    name: 'Claude Code',
    where: 'In a shell.',
    text: ({ origin, model, limit, question = QUESTION }) => `export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=$SLUICE_KEY
export ANTHROPIC_MODEL=${model}${limit === null ? '' : `\nexport ANTHROPIC_CUSTOM_HEADERS='X-Max-Price: ${limit}'`}
claude -p ${shellText(question)}`,
  },
];
