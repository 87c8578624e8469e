/**
 * The answer of a simulated pod: the deltas that a backend would stream, one token each. The same seed, pod and request
 * give the same answer. Its first words say that it is simulated.
 */
import { HASH_START, hashOf, type Random, seededRandom } from '#base/random.ts';
import type { JsonObject } from '#orders/request.ts';
import { stringsIn } from './chunk-events.ts';
import { sampleOf } from './sample-json.ts';
import type { SimulationSwitches } from './simulation-switches.ts';

/** An answer before it is cut at the output cap. */
export interface SimulatedAnswer {
  /** One per token, in order. */
  readonly deltas: readonly JsonObject[];
  /** How many of the first deltas are reasoning. */
  readonly reasoningTokens: number;
  readonly finishReason: 'stop' | 'tool_calls';
  /** The stop string that ended it; null for none. */
  readonly stopReason: string | null;
  /** Whether each text delta comes with logprobs, and how many alternatives each has; null for none. */
  readonly topLogprobs: number | null;
}

/** Tokens of reasoning by `reasoning_effort`. */
const REASONING_TOKENS: Readonly<Record<string, number>> = { low: 16, medium: 48, high: 128, xhigh: 256 };
/** The most alternatives the protocol allows. */
const TOP_LOGPROBS_MAX = 20;
/** Characters per token of JSON. */
const JSON_TOKEN_CHARACTERS = 4;
/** What answers consist of, after their opening. Some are there twice. */
export const WORDS =
  'the tide turns and every boat in the harbour lifts a little while the price of bread falls with the evening wind'.split(
    ' ',
  );

/** Draws the answer to `body`: at most `outputMax` + 1 tokens each of reasoning and text; the extra one shows the cut. */
export function simulatedAnswer(
  body: JsonObject,
  switches: SimulationSwitches,
  { random, outputMax }: { random: Random; outputMax: number },
): SimulatedAnswer {
  const reasoningCount = Math.min(reasoningTokens(body, switches), outputMax + 1);
  const reasoning = words('Simulated reasoning: ', reasoningCount, random).map((text) => ({ reasoning_content: text }));
  const topLogprobs = body.logprobs === true ? Math.min(Number(body.top_logprobs ?? 0), TOP_LOGPROBS_MAX) : null;
  const calls = toolDeltas(body, switches, random);
  if (calls.length > 0) {
    const deltas = [...reasoning, ...calls];
    return { deltas, reasoningTokens: reasoningCount, finishReason: 'tool_calls', stopReason: null, topLogprobs };
  }
  const { tokens, stopReason } = cutAtStop(textTokens(body, switches, { random, outputMax }), stringsIn(body.stop));
  const deltas = [...reasoning, ...tokens.map((text) => ({ content: text }))];
  return { deltas, reasoningTokens: reasoningCount, finishReason: 'stop', stopReason, topLogprobs };
}

function reasoningTokens(body: JsonObject, switches: SimulationSwitches): number {
  return switches.reasoningTokens ?? REASONING_TOKENS[String(body.reasoning_effort)] ?? 0;
}

function textTokens(
  body: JsonObject,
  switches: SimulationSwitches,
  { random, outputMax }: { random: Random; outputMax: number },
): readonly string[] {
  const format = fieldsOf(body.response_format);
  if (format.type === 'json_object')
    return jsonTokens({ simulated: true, answer: 'This is a simulated answer, no model ran.' });
  if (format.type === 'json_schema') return jsonTokens(sampleOf(fieldsOf(format.json_schema).schema));
  const count = switches.outputTokens ?? 24 + Math.floor(random.next() * 72);
  return words('This is a simulated answer, no model ran: ', Math.min(count, outputMax + 1), random);
}

/** `count` words, beginning with those of `opening`. */
function words(opening: string, count: number, random: Random): string[] {
  const tokens = opening.match(/\S+\s*/g)?.slice(0, count) ?? [];
  while (tokens.length < count) tokens.push(`${WORDS[Math.floor(random.next() * WORDS.length)]} `);
  const last = tokens.pop();
  return last === undefined ? tokens : [...tokens, `${last.trimEnd()}.`];
}

function jsonTokens(value: unknown): string[] {
  const text = JSON.stringify(value);
  const tokens: string[] = [];
  for (let start = 0; start < text.length; start += JSON_TOKEN_CHARACTERS)
    tokens.push(text.slice(start, start + JSON_TOKEN_CHARACTERS));
  return tokens;
}

/** The tokens before the first stop string. Like backends, it leaves out the stop string itself. */
function cutAtStop(
  tokens: readonly string[],
  stops: readonly string[],
): { tokens: readonly string[]; stopReason: string | null } {
  if (stops.length === 0) return { tokens, stopReason: null };
  const text = tokens.join('');
  const found = stops
    .map((stop) => ({ stop, position: stop === '' ? -1 : text.indexOf(stop) }))
    .filter(({ position }) => position >= 0)
    .sort((a, b) => a.position - b.position)[0];
  if (!found) return { tokens, stopReason: null };
  const kept: string[] = [];
  let left = found.position;
  for (const token of tokens) {
    if (left <= 0) break;
    kept.push(token.slice(0, left));
    left -= token.length;
  }
  return { tokens: kept, stopReason: found.stop };
}

function toolDeltas(body: JsonObject, switches: SimulationSwitches, random: Random): JsonObject[] {
  return chosenTools(body, switches).flatMap((tool, index) => {
    const id = `call_${Math.floor(random.next() * 2 ** 48).toString(36)}${index}`;
    const fragments = jsonTokens(sampleOf(tool.parameters));
    return fragments.map((fragment, position) => {
      const opening = position === 0 ? { id, type: 'function' } : {};
      const called = position === 0 ? { name: tool.name, arguments: fragment } : { arguments: fragment };
      return { tool_calls: [{ index, ...opening, function: called }] };
    });
  });
}

interface Tool {
  readonly name: string;
  readonly parameters: unknown;
}

/**
 * The tools to call: as many as the switch says; else the named tool, or one that the user's last message mentions, or
 * the first if a call is required.
 */
function chosenTools(body: JsonObject, switches: SimulationSwitches): Tool[] {
  const tools = toolsOf(body);
  if (switches.toolCalls !== null)
    return Array.from({ length: Math.min(switches.toolCalls, 128) }, (_, turn) => {
      return tools[turn % tools.length] ?? { name: 'simulated_tool', parameters: {} };
    });
  if (body.tool_choice === 'none') return [];
  const named = fieldsOf(fieldsOf(body.tool_choice).function).name;
  if (typeof named === 'string') return tools.filter((tool) => tool.name === named).slice(0, 1);
  const asked = lastUserText(body).toLowerCase();
  const mentioned = tools.filter((tool) => asked.includes(tool.name.toLowerCase())).slice(0, 1);
  if (mentioned.length > 0) return mentioned;
  return body.tool_choice === 'required' ? tools.slice(0, 1) : [];
}

function toolsOf(body: JsonObject): Tool[] {
  if (!Array.isArray(body.tools)) return [];
  return body.tools.flatMap((tool: unknown) => {
    const { name, parameters } = fieldsOf(fieldsOf(tool).function);
    return typeof name === 'string' ? [{ name, parameters }] : [];
  });
}

/** The text of the last message if it is the user's; '' otherwise, so that a tool result is answered in words. */
function lastUserText(body: JsonObject): string {
  const messages: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const { role, content } = fieldsOf(messages.at(-1));
  if (role !== 'user') return '';
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function fieldsOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** A random source that depends only on the seed and the whole request. */
export function randomOf(seed: number, body: JsonObject): Random {
  return seededRandom(hashOf(JSON.stringify(body), HASH_START ^ seed));
}
