/** Requests for inference in the four wire shapes, drawn by a seed. */
import type { Random } from '#base/random.ts';
import { between, chance, name, pick } from './chance.ts';

export type Shape = 'chat' | 'completion' | 'responses' | 'messages';

/** A request that can be sent. */
export interface OrderRequest {
  readonly shape: Shape;
  readonly path: string;
  readonly stream: boolean;
  readonly detached: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  /** Its body is sent as gzip. */
  readonly isZipped?: boolean;
}

/** What is not left to chance. */
export interface Wishes {
  readonly shapes?: readonly Shape[];
  readonly models?: readonly string[];
  readonly stream?: boolean;
  readonly detached?: boolean;
  /** Nothing of the answer is stored. */
  readonly unkept?: boolean;
  readonly maxWaitSeconds?: number;
  /** USD. */
  readonly priceLimit?: number;
  /** The pods are simulated: they are fast, and some fail the first attempt, so that the order goes back to the book. */
  readonly simulated?: boolean;
}

/** Stands in every prompt, and must stand in no log. */
export const PROMPT_MARK = 'the-secret-of-the-soak';

const PATHS: Readonly<Record<Shape, string>> = {
  chat: '/v1/chat/completions',
  completion: '/v1/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};
const SHAPES = ['chat', 'chat', 'completion', 'responses', 'messages'] as const;
const LARGE_PROMPT = 100_000;

/** Draws a request. */
export function drawRequest(random: Random, wishes: Wishes = {}): OrderRequest {
  const { detached = false, unkept = false } = wishes;
  const shape = detached ? 'chat' : pick(random, wishes.shapes ?? SHAPES);
  const stream = wishes.stream ?? (!detached && chance(random, 1 / 3));
  const model = pick(random, wishes.models ?? ['tide', 'tide', 'harbor']);
  const length = chance(random, 1 / 40) ? LARGE_PROMPT : between(random, 1, 200);
  const prompt = `${PROMPT_MARK} ${name(random)} ${'river '.repeat(length / 6)}`;
  const drawn = model === 'ebb' ? between(random, 0, 4) : between(random, 1, 60);
  const price = wishes.priceLimit ?? drawn;
  const body = {
    model,
    stream,
    max_wait: wishes.maxWaitSeconds ?? between(random, 10, 60),
    ...(chance(random, 1 / 5) ? { price_lock: true } : {}),
    ...fieldsOf(shape, { prompt, cap: between(random, 1, 16), price, stream }),
    ...(unkept ? (shape === 'responses' ? { retention_days: 0 } : { store: false }) : {}),
    ...(detached ? { detached } : {}),
    ...(wishes.simulated ? { x_simulate: drawSimulation(random) } : {}),
  };
  return { shape, path: PATHS[shape], stream, detached, body };
}

interface Parts {
  readonly prompt: string;
  readonly cap: number;
  readonly price: number;
  readonly stream: boolean;
}

function fieldsOf(shape: Shape, { prompt, cap, price, stream }: Parts): object {
  const messages = [{ role: 'user', content: prompt }];
  const usage = stream ? { stream_options: { include_usage: true } } : {};
  switch (shape) {
    case 'chat':
      return { messages, max_tokens: cap, price_limit: price, ...usage };
    case 'completion':
      return { prompt, max_tokens: cap, price_limit: price, ...usage };
    case 'responses':
      return { input: prompt, max_output_tokens: cap, price_limit: price };
    case 'messages':
      return { messages, max_tokens: cap, max_price: price };
  }
}

function drawSimulation(random: Random): object {
  const fails = chance(random, 1 / 20) ? { fail: 'before-output', fail_attempts: 1 } : {};
  return { first_token_ms: 15, token_ms: 4, ...fails };
}
