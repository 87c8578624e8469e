/**
 * Answers to render: the same generations as batches of events and as settled answers, for every shape, unary and
 * streamed, so that tests can compare the renderings.
 */
import { wireReceipt } from '#ledger/receipt.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { Accumulator, type GenerationEvent } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';

/** One generation. The events of one batch arrived together; the last event is the finish. */
export interface CannedGeneration {
  readonly name: string;
  readonly batches: readonly (readonly GenerationEvent[])[];
}

/** The order to which every canned answer belongs. */
export const CANNED_ORDER = '019b76da-a800-7000-8000-000000000001';

const text = (...fragments: string[]): GenerationEvent[] =>
  fragments.map((fragment) => ({ type: 'text-delta', text: fragment }));
const finish = (reason: 'stop' | 'length' | 'tool_calls' | 'content_filter'): GenerationEvent => ({
  type: 'finish',
  reason,
  stopSequence: null,
});
const call = (index: number, id: string, name: string): GenerationEvent => ({ type: 'tool-call', index, id, name });
const fragment = (index: number, part: string): GenerationEvent => ({
  type: 'tool-arguments-delta',
  index,
  fragment: part,
});

/** The generations. Each name completes the sentence "an answer of …". */
export const cannedGenerations: readonly CannedGeneration[] = [
  { name: 'text', batches: [text('Hel'), text('lo, ', 'wörld "quoted"\n'), text('漢字 🎉'), [finish('stop')]] },
  { name: 'text in one arrival', batches: [[...text('all', ' at', ' once'), finish('stop')]] },
  { name: 'nothing', batches: [[finish('stop')]] },
  { name: 'text cut at the cap', batches: [text('to be contin'), [finish('length')]] },
  { name: 'filtered text', batches: [text('The '), [finish('content_filter')]] },
  {
    name: 'reasoning and text',
    batches: [
      [{ type: 'reasoning-delta', text: 'Let me ' }],
      [{ type: 'reasoning-delta', text: 'think.' }],
      text('42'),
      [finish('stop')],
    ],
  },
  {
    name: 'one tool call',
    batches: [[call(0, 'call_a', 'look')], [fragment(0, '{"city":')], [fragment(0, '"Oslo"}')], [finish('tool_calls')]],
  },
  {
    name: 'two interleaved tool calls after text, finished as stop',
    batches: [
      text('Looking.'),
      [call(0, 'call_a', 'look'), fragment(0, '{"a"')],
      [call(1, 'call_b', 'find'), fragment(1, '{"b"')],
      [fragment(0, ':1}'), fragment(1, ':2}')],
      [finish('stop')],
    ],
  },
  {
    name: 'late reasoning, and text on both sides of a tool call',
    batches: [
      text('First. '),
      [{ type: 'reasoning-delta', text: 'Wait.' }],
      [call(0, 'call_a', 'look'), fragment(0, '{"a":'), ...text('Mean'), fragment(0, '1}'), ...text('while.')],
      [finish('tool_calls')],
    ],
  },
  {
    name: 'a call of a custom tool, and one of a function',
    batches: [
      [{ type: 'tool-call', index: 0, id: 'call_a', name: 'patch', custom: true }],
      [fragment(0, '{"input":"***'), fragment(0, ' Begin\\n"}')],
      [call(1, 'call_b', 'look'), fragment(1, '{"b":2}')],
      [finish('tool_calls')],
    ],
  },
  { name: 'a tool call without arguments', batches: [[call(0, 'call_a', 'now')], [finish('tool_calls')]] },
];

/** The settled answer of a generation: 700 cached and 300 uncached prompt tokens, 50 of output. */
export function cannedAnswer({ batches }: CannedGeneration, more: Partial<Answer> = {}): Answer {
  const accumulator = new Accumulator();
  for (const event of batches.flat()) accumulator.add(event);
  return {
    generation: accumulator.generation(),
    receipt: {
      orderId: CANNED_ORDER,
      tariff: tariffOf('market', { cached: '0.1', uncached: '1', output: '4' }),
      price: 420_000_000,
      bid: 500_000_000,
      charged: 841_463n,
      tokens: { uncached: 300, cached: 700, output: 50 },
      estimated: false,
    },
    reasoningTokens: null,
    finishedAtMs: Date.UTC(2026, 0, 1, 0, 0, 5),
    ...more,
  };
}

/** What every shape must show as `x_market` for a canned answer. */
export const cannedReceipt = wireReceipt(cannedAnswer({ name: '', batches: [] }).receipt);
