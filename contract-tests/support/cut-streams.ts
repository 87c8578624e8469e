/** Streams that are cut at a byte and resumed: what a caller has of them, who sees bytes and nothing else. */
import { Agent, request } from 'node:http';
import { type Random, seededRandom } from '#base/random.ts';
import { chunkOf, type MockReply, streamOf, usageOf } from '#testing/mock-backend.ts';

export type { Random };

/** Numbers that are the same for the same seed. */
export const randomFrom = (seed: number): Random => seededRandom(seed);

/** One request for a stream. */
export interface StreamRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** What came of it. */
export interface Piece {
  readonly status: number;
  readonly orderId: string;
  readonly text: string;
  /** Whether the stream ended before it was cut. */
  readonly ended: boolean;
}

/** A connection for each request: a kept one may be closed in the moment in which it is used again. */
const agent = new Agent();

/** Reads a stream up to `bytesMax`, then closes the connection; the text is whole characters. */
export function readPiece(url: string, asked: StreamRequest, bytesMax = Number.POSITIVE_INFINITY): Promise<Piece> {
  const body = asked.body && JSON.stringify(asked.body);
  const { method, headers } = asked;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${asked.path}`, { method, agent, headers: { ...headers, ...type } }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const settle = (ended: boolean) => {
        const all = Buffer.concat(parts);
        const text = all.subarray(0, Math.min(all.length, bytesMax)).toString();
        resolve({
          status: response.statusCode ?? 0,
          orderId: String(response.headers['x-service-order-id']),
          text,
          ended,
        });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes <= bytesMax) return;
        settle(false);
        response.destroy();
      });
      response.on('end', () => settle(true));
      response.on('error', () => settle(false));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The whole events in a text, without comments, pings and `id:` lines; and how many of them a caller can count. */
export function wholeEvents(text: string): string[] {
  return wholeFrames(text)
    .split('\n\n')
    .map((frame) =>
      frame
        .split('\n')
        .filter((line) => !line.startsWith(':') && !line.startsWith('id:'))
        .join('\n'),
    )
    .filter((frame) => frame !== '' && !frame.startsWith('event: ping\n'));
}

/** The numbers of the `id:` lines of whole events. */
export function idsOf(text: string): number[] {
  return [...wholeFrames(text).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

function wholeFrames(text: string): string {
  const end = text.lastIndexOf('\n\n');
  return end < 0 ? '' : text.slice(0, end + 2);
}

const WORDS = [
  'tide ',
  'größer ',
  '潮汐 ',
  '🌊🌊 ',
  'a',
  '\n\n',
  '"quoted" ',
  'data: x\n\nid: 7\n',
  'brine, ',
  '\\u0000 ',
];
/** Tokens that say nothing that the shapes could repeat. */
const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random.next() * items.length)] as Item;

/** An answer with reasoning, text of every kind, logprobs and calls, each chunk in a write of its own. */
export function randomAnswer(random: Random): MockReply {
  const chunks: object[] = [chunkOf({ role: 'assistant', content: '' })];
  const times = (most: number, add: () => object) => {
    for (let left = Math.floor(random.next() * most); left > 0; left--) chunks.push(add());
  };
  times(6, () => chunkOf({ reasoning_content: pick(random, WORDS) }));
  times(40, () => {
    const content = pick(random, WORDS);
    const logprobs = random.next() < 0.3 ? { content: [{ token: content, logprob: -0.5 }] } : null;
    return chunkOf({ content }, { logprobs });
  });
  times(2, () => chunkOf({}, { logprobs: { content: [{ token: 'alone', logprob: -1 }] } }));
  const calls = Math.floor(random.next() * 3);
  for (let index = 0; index < calls; index++) {
    const call = { index, id: `call_${index}`, type: 'function', function: { name: 'look', arguments: '' } };
    chunks.push(chunkOf({ tool_calls: [call] }));
    for (const part of ['{"at"', ':"', 'sea', '"}'])
      chunks.push(chunkOf({ tool_calls: [{ index, function: { arguments: part } }] }));
  }
  chunks.push(chunkOf({}, { finish_reason: calls > 0 ? 'tool_calls' : 'stop' }));
  chunks.push({ ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 4, output: chunks.length }) });
  return { ...streamOf(chunks), write: 'each' };
}
