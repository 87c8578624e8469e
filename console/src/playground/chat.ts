/**
 * One request from the playground: sent to /v1 like that of any program, with a key that the gateway lends to the signed-in
 * member. While it waits, its place in the queue is asked for.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ChatCompletionChunk, ErrorEnvelope, Order, Receipt } from '#generated/types.ts';
import { nowMs, repeatedly } from '../clock.ts';
import { lentFetch } from '../data/lent.ts';
import { sentenceOf } from '../data/polled.ts';

/** What is asked. */
export interface Question {
  readonly model: string;
  readonly prompt: string;
  /** USD; null on a fixed-price model. */
  readonly limit: number | null;
  readonly tokensMax: number;
}

/** How far a request is. */
export interface StreamedAnswer {
  readonly phase: 'waiting' | 'answering' | 'done' | 'failed';
  readonly orderId: string | null;
  readonly text: string;
  /** What the model thought before it answered, where it says so. */
  readonly thoughts: string;
  /** In the queue, from 1; null where that is not known. */
  readonly place: number | null;
  readonly receipt: Receipt | null;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** Milliseconds since it was sent; null before they are known. */
  readonly firstMs: number | null;
  readonly tookMs: number | null;
  /** Why it failed; empty otherwise. */
  readonly failure: string;
}

const PLACE_MS = 1_000;
const NOTHING: StreamedAnswer = {
  ...{ phase: 'waiting', orderId: null, text: '', thoughts: '', place: null, receipt: null, tokens: null },
  ...{ firstMs: null, tookMs: null, failure: '' },
};

/** Asks, and hands `show` each change of the answer. Never rejects. `signal` ends it: an order that waits is then canceled. */
export async function ask(
  question: Question,
  show: (answer: StreamedAnswer) => void,
  signal: AbortSignal,
): Promise<void> {
  const sentAtMs = nowMs();
  let answer = NOTHING;
  const become = (change: Partial<StreamedAnswer>) => {
    answer = { ...answer, ...change };
    show(answer);
  };
  become({});
  let stopAsking = () => {};
  try {
    const response = await send(question, signal);
    const orderId = response.headers.get('x-service-order-id');
    become({ orderId });
    if (orderId)
      stopAsking = followPlace(orderId, (place) => {
        if (answer.phase === 'waiting') become({ place });
      });
    for await (const chunk of chunksOf(response)) {
      const change = changeBy(chunk, answer);
      if (change === null) continue;
      stopAsking();
      become({ phase: 'answering', place: null, firstMs: answer.firstMs ?? nowMs() - sentAtMs, ...change });
    }
    become({ phase: 'done', tookMs: nowMs() - sentAtMs });
  } catch (error) {
    become({ phase: 'failed', place: null, failure: signal.aborted ? 'You stopped it.' : sentenceOf(error) });
  } finally {
    stopAsking();
  }
}

/** What a chunk changes; null for nothing. */
function changeBy(
  { choices: [choice], usage }: ChatCompletionChunk,
  answer: StreamedAnswer,
): Partial<StreamedAnswer> | null {
  if (usage)
    return {
      receipt: usage.x_market,
      tokens: { input: usage.prompt_tokens, output: usage.completion_tokens },
    };
  const { content, reasoning_content: thought } = choice?.delta ?? {};
  if (typeof content !== 'string' && typeof thought !== 'string') return null;
  if (!content && !thought) return null;
  return { text: answer.text + (content ?? ''), thoughts: answer.thoughts + (thought ?? '') };
}

async function send({ model, prompt, limit, tokensMax }: Question, signal: AbortSignal): Promise<Response> {
  const body = JSON.stringify({
    ...{ model, messages: [{ role: 'user', content: prompt }], max_tokens: tokensMax },
    ...{ stream: true, stream_options: { include_usage: true } },
    ...(limit === null ? {} : { price_limit: limit }),
  });
  const response = await lentFetch('/v1/chat/completions', { method: 'POST', body, signal });
  if (response.ok) return response;
  const { error } = (await response.json()) as ErrorEnvelope;
  throw new Error(error.message);
}

/** The chunks of a stream. Rejects with the sentence of an error in it. */
async function* chunksOf({ body }: Response): AsyncGenerator<ChatCompletionChunk> {
  if (!body) return;
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  for (let next = await events.read(); !next.done; next = await events.read()) {
    if (next.value.data === '[DONE]') return;
    const said = JSON.parse(next.value.data) as ChatCompletionChunk | ErrorEnvelope;
    if ('error' in said) throw new Error(said.error.message);
    yield said;
  }
}

/** Asks for the place of an order every second until the returned function is called. What fails is asked again. */
function followPlace(id: string, learn: (place: number | null) => void): () => void {
  const look = async () => {
    const response = await lentFetch(`/v1/orders/${id}`);
    if (response.ok) learn(((await response.json()) as Order).queue_position);
  };
  return repeatedly(PLACE_MS, () => void look().catch(() => {}));
}
