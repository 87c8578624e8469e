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
}

/** What is not left to chance. */
export interface Wishes {
  readonly shapes?: readonly Shape[];
  readonly model?: string;
  readonly stream?: boolean;
  readonly detached?: boolean;
  /** Nothing of the answer is stored. */
  readonly unkept?: boolean;
  readonly maxWaitSeconds?: number;
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
  const shape = pick(random, wishes.detached ? (['chat'] as const) : (wishes.shapes ?? SHAPES));
  const stream = wishes.stream ?? (!wishes.detached && chance(random, 1 / 3));
  const model = wishes.model ?? pick(random, ['tide', 'tide', 'harbor']);
  const length = chance(random, 1 / 40) ? LARGE_PROMPT : between(random, 1, 200);
  const prompt = `${PROMPT_MARK} ${name(random)} ${'river '.repeat(length / 6)}`;
  const cap = between(random, 1, 16);
  const price = model === 'ebb' ? between(random, 0, 4) : between(random, 1, 60);
  const common = {
    model,
    stream,
    max_wait: wishes.maxWaitSeconds ?? between(random, 10, 60),
    ...(chance(random, 1 / 5) ? { price_lock: true } : {}),
  };
  const fields = { chat, completion, responses, messages }[shape]({
    prompt,
    cap,
    price,
    stream,
    unkept: wishes.unkept === true,
  });
  const detached = wishes.detached ? { detached: true } : {};
  return {
    shape,
    path: PATHS[shape],
    stream,
    detached: wishes.detached === true,
    body: { ...common, ...fields, ...detached },
  };
}

interface Parts {
  readonly prompt: string;
  readonly cap: number;
  readonly price: number;
  readonly stream: boolean;
  readonly unkept: boolean;
}

function chat({ prompt, cap, price, stream, unkept }: Parts): object {
  return {
    messages: [{ role: 'user', content: prompt }],
    max_tokens: cap,
    price_limit: price,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(unkept ? { store: false } : {}),
  };
}

function completion({ prompt, cap, price, stream, unkept }: Parts): object {
  return {
    prompt,
    max_tokens: cap,
    price_limit: price,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(unkept ? { store: false } : {}),
  };
}

function responses({ prompt, cap, price, unkept }: Parts): object {
  return { input: prompt, max_output_tokens: cap, price_limit: price, ...(unkept ? { retention_days: 0 } : {}) };
}

function messages({ prompt, cap, price, unkept }: Parts): object {
  return {
    messages: [{ role: 'user', content: prompt }],
    max_tokens: cap,
    max_price: price,
    ...(unkept ? { store: false } : {}),
  };
}
