/** The way of an order, from the request to the receipt, with the ways on which it ends earlier. */
import { arrow, box, svg, words } from './svg.ts';

const TOP = 60;
const STEPS = [
  ['Request', 'names the most', 'that it pays: its bid'],
  ['Book', 'queued,', 'best bid first'],
  ['Slot', 'executing on a pod,', 'worst case held'],
  ['Settlement', 'usage × price,', 'one transaction'],
  ['Receipt', 'done,', 'what was charged'],
] as const;
const BOX = 140;
const GAP = 30;
const LEFT = 20;

/** docs/pictures/order.svg. */
export function orderPicture(): string {
  const left = (at: number) => LEFT + at * (BOX + GAP);
  const middle = (at: number) => left(at) + BOX / 2;
  const bottom = TOP + 76;
  const end = (at: number, lines: readonly string[]) => [
    arrow(`${middle(at)},${bottom} ${middle(at)},${bottom + 34}`),
    ...lines.map((text, row) =>
      words(middle(at), bottom + 54 + row * 18, text, {
        anchor: 'middle',
        size: 12.5,
        tone: row === 0 ? 'fall' : 'faint',
      }),
    ),
  ];
  const back = `${middle(2)},${TOP} ${middle(2)},${TOP - 22} ${middle(1)},${TOP - 22} ${middle(1)},${TOP - 2}`;
  return svg(228, 'The way of an order: request, book, slot, settlement, receipt', [
    ...STEPS.map((lines, at) => box(left(at), TOP, BOX, lines)),
    ...STEPS.slice(1).map((_, at) => arrow(`${left(at) + BOX},${TOP + 38} ${left(at + 1) - 2},${TOP + 38}`)),
    arrow(back),
    words((middle(1) + middle(2)) / 2, TOP - 30, 'the pod failed before its first output', {
      anchor: 'middle',
      size: 12.5,
      tone: 'faint',
    }),
    ...end(1, ['canceled, expired or error', 'nothing is charged']),
    ...end(2, ['error', 'nothing is charged']),
  ]);
}
