/**
 * What the page runs: the official clients, unmodified, bundled for a browser by `chromium.ts`. Tests call these
 * functions from outside, so arguments and results are plain data.
 */
import Anthropic from '@anthropic-ai/sdk';
import Anthropic0 from 'anthropic-sdk-0';
import OpenAI from 'openai';
import { OpenAI as Openai6 } from 'openai-6';
import { messagesDriver } from '../clients/anthropic-driver.ts';
import type { Address, ClientAnswer, ClientDriver } from '../clients/client-driver.ts';
import { chatDriver, responsesDriver } from '../clients/openai-drivers.ts';

/** Where to send requests; the page has its own `fetch`. */
export type PageAddress = Omit<Address, 'fetch'>;

// The parts that are used here have the same types in both majors.
const openai = ({ url, key }: PageAddress) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, dangerouslyAllowBrowser: true }) as unknown as Openai6;
const openai6 = ({ url, key }: PageAddress) =>
  new Openai6({ baseURL: `${url}/v1`, apiKey: key, dangerouslyAllowBrowser: true });
const anthropic = ({ url, key }: PageAddress) =>
  new Anthropic({ baseURL: url, apiKey: key, dangerouslyAllowBrowser: true });
const anthropic0 = ({ url, key }: PageAddress) =>
  new Anthropic0({ baseURL: url, apiKey: key, dangerouslyAllowBrowser: true }) as unknown as Anthropic;

/** The clients that make the journeys. */
export const drivers = {
  'openai 7, in chat': (address) => chatDriver(openai(address), address.model),
  'openai 6, in responses': (address) => responsesDriver(openai6(address), address.model),
  '@anthropic-ai/sdk 1': (address) => messagesDriver(anthropic(address), address.model),
  '@anthropic-ai/sdk 0': (address) => messagesDriver(anthropic0(address), address.model),
} satisfies Record<string, (address: PageAddress) => ClientDriver>;

/** A request to one of the clients. */
export interface PageRequest {
  readonly driver: keyof typeof drivers;
  readonly address: PageAddress;
  readonly how: keyof ClientDriver;
  readonly prompt: string;
  readonly leaveAfter?: number | undefined;
}

/** Sends a request. Rejects as the client does. */
export async function send({ driver, address, how, prompt, leaveAfter }: PageRequest): Promise<ClientAnswer> {
  const client = drivers[driver](address);
  if (how === 'stream') return client.stream(prompt, leaveAfter);
  if (how === 'ask') return client.ask(prompt);
  return { text: await client.useTool(prompt), reasoning: null, calls: [] };
}

/** The order of a completion, whole and streamed, as the page can read it from the headers. */
export async function orderIds(address: PageAddress): Promise<(string | null)[]> {
  const { completions } = openai(address).chat;
  const body = { model: address.model, messages: [{ role: 'user' as const, content: 'Hello?' }] };
  const whole = await completions.create(body).withResponse();
  const streamed = await completions.create({ ...body, stream: true }).withResponse();
  for await (const _ of streamed.data);
  return [whole, streamed].map(({ response }) => response.headers.get('x-service-order-id'));
}

/** What each client says of a refusal: its status, its code or type, and the id of the request. */
export async function refusals(address: PageAddress) {
  const { model } = address;
  const messages = [{ role: 'user' as const, content: 'Hello?' }];
  const [chat, message] = await Promise.all([
    openai(address)
      .chat.completions.create({ model, messages })
      .then(assertRefused, (error) => error),
    anthropic(address)
      .messages.create({ model, messages, max_tokens: 5 })
      .then(assertRefused, (error) => error),
  ]);
  return {
    chat: { status: chat.status, code: chat.code, requestId: chat.requestID },
    message: { status: message.status, code: message.error.error.code, requestId: message.requestID },
  };
}

function assertRefused(): never {
  throw new Error('The request was answered.');
}

/** Runs the helper of each client that adds headers of its own; the text that each ends with. */
export async function runHelpers(address: PageAddress): Promise<(string | null)[]> {
  const { model } = address;
  const messages = [{ role: 'user' as const, content: 'Hello?' }];
  const runner = openai(address).chat.completions.runTools({ model, messages, tools: [] });
  const toolRunner = anthropic(address).beta.messages.toolRunner({ model, messages, tools: [], max_tokens: 64 });
  const { content } = await toolRunner;
  return [await runner.finalContent(), ...content.map((block) => (block.type === 'text' ? block.text : null))];
}

/** The first event of a stream. Rejects with `closed` when the browser gives up, with `connecting` when it retries. */
function firstEventOf(events: EventSource): Promise<unknown> {
  return new Promise((resolve, reject) => {
    events.onerror = () => reject(events.readyState === EventSource.CLOSED ? 'closed' : 'connecting');
    events.onmessage = ({ data }) => resolve(JSON.parse(data));
  });
}

/** The first event of each stream, all of them open at once; for a stream that fails, what the browser does then. */
export async function firstEvents(urls: readonly string[]): Promise<unknown[]> {
  const streams: EventSource[] = [];
  const firsts: unknown[] = [];
  for (const url of urls) {
    const events = new EventSource(url);
    streams.push(events);
    firsts.push(await firstEventOf(events).catch((state) => state));
  }
  for (const events of streams) events.close();
  return firsts;
}

/** Uploads lines and makes a batch of them; its id. */
export async function startBatch(address: PageAddress, lines: string): Promise<string> {
  const { files, batches } = openai(address);
  const input = await files.create({ file: new File([lines], 'requests.jsonl'), purpose: 'batch' });
  const endpoint = '/v1/chat/completions';
  return (await batches.create({ input_file_id: input.id, endpoint, completion_window: '24h' })).id;
}

/** What a batch wrote; null while it runs. */
export async function batchOutput(address: PageAddress, id: string): Promise<string | null> {
  const { files, batches } = openai(address);
  const { status, output_file_id } = await batches.retrieve(id);
  if (status === 'failed') throw new Error('The batch failed.');
  return status === 'completed' ? (await files.content(output_file_id ?? '')).text() : null;
}
