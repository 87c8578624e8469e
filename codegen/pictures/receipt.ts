/** The receipt of the README taken apart: how usage and price make the charge. */
import { line, svg, type Tone, words } from './svg.ts';

/** The receipt and the weights of tide-70b in the shipped configuration. */
const TOKENS = { cached: 0, uncached: 17, output: 42 };
const WEIGHTS = { cached: 0.1, uncached: 1, output: 4 };
const LEVEL = 0.01;
const BID = 10;

/** docs/pictures/receipt.svg. */
export function receiptPicture(): string {
  const classes = ['cached', 'uncached', 'output'] as const;
  const weighted = classes.reduce((sum, name) => sum + TOKENS[name] * WEIGHTS[name], 0);
  const mix = 0.9 * WEIGHTS.cached + 0.1 * WEIGHTS.uncached + 0.02 * WEIGHTS.output;
  const price = Math.min(LEVEL, BID);
  const charged = ((price * weighted) / mix / 1e6).toFixed(9);
  const rows: readonly (readonly [label: string, sum: string, result: string, tone?: Tone])[] = [
    ['cached input', `${TOKENS.cached} tokens × ${WEIGHTS.cached}`, `${TOKENS.cached * WEIGHTS.cached}`],
    ['other input', `${TOKENS.uncached} tokens × ${WEIGHTS.uncached}`, `${TOKENS.uncached * WEIGHTS.uncached}`],
    ['output', `${TOKENS.output} tokens × ${WEIGHTS.output}`, `${TOKENS.output * WEIGHTS.output}`],
    ['weighted tokens', '', `${weighted}`],
    ['÷ reference mix', '0.9 × cached + 0.1 × input + 0.02 × output', mix.toFixed(2)],
    ['× price', `the lower of level ${LEVEL} and bid ${BID}, per 1M tokens`, `$${price}`],
    ['charged_usd', 'rounded to the nano-dollar', `$${charged}`, 'accent'],
  ];
  const y = (at: number) => 66 + at * 28 + (at >= 3 ? 8 : 0) + (at >= 6 ? 8 : 0);
  const rule = (at: number) => line([40, y(at) - 22], [820, y(at) - 22], 'line');
  return svg(y(6) + 28, 'A receipt taken apart: weighted tokens, divided by the reference mix, times the price', [
    words(40, 32, 'What the receipt charges', { bold: true }),
    words(820, 32, 'weight: pricing_ratio of the model', { anchor: 'end', tone: 'faint', size: 12.5 }),
    ...rows.flatMap(([label, sum, result, tone = 'ink'], at) => [
      words(40, y(at), label, { tone, bold: at === 6 }),
      words(230, y(at), sum, { tone: 'faint', size: 13 }),
      words(820, y(at), result, { anchor: 'end', tone, mono: true, bold: at === 6 }),
    ]),
    rule(3),
    rule(6),
  ]);
}
