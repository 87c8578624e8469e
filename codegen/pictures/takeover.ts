/** A cluster that takes over from a gateway that falls silent: who does what, after how many seconds. */
import { bar, line, svg, type Tone, words } from './svg.ts';

const LEFT = 150;
const SECOND = 54;
const TOP = 74;
const LANE = 62;

/** docs/pictures/takeover.svg. */
export function takeoverPicture(): string {
  const x = (seconds: number) => LEFT + (seconds + 1.5) * SECOND;
  const y = (lane: number) => TOP + lane * LANE;
  const bottom = y(3) + 6;
  const lane = (at: number, name: string, to: number) => [
    words(LEFT - 16, y(at) + 16, name, { anchor: 'end', bold: true }),
    bar(x(-1.5), y(at), [x(to) - x(-1.5), 24], 'soft'),
  ];
  const note = (at: number, seconds: number, text: string, tone: Tone = 'faint') =>
    words(x(seconds) + 6, y(at) + 42, text, { size: 12.5, tone });
  const moment = (seconds: number, text: string) => [
    line([x(seconds), TOP - 14], [x(seconds), bottom], 'line', true),
    words(x(seconds), bottom + 18, text, { anchor: 'middle', size: 12.5, tone: 'faint' }),
  ];
  return svg(
    bottom + 36,
    'Gateway A falls silent: after three seconds B owns its market, after ten seconds C ends or requeues its orders',
    [
      words(20, 30, 'Gateway A falls silent', { bold: true }),
      words(20, 50, 'The database decides who holds a lease, and refuses what an earlier holder commits.', {
        tone: 'faint',
        size: 12.5,
      }),
      ...[...moment(0, 'silent'), ...moment(3, '3 s'), ...moment(10, '10 s')],
      ...lane(0, 'Gateway A', 0),
      note(0, 0, 'its callers lose their connection', 'fall'),
      ...lane(1, 'Gateway B', 11),
      bar(x(3), y(1), [x(11) - x(3), 24], 'accent'),
      note(1, 3, 'owns the market: its book, level and quote'),
      ...lane(2, 'Gateway C', 11),
      bar(x(10), y(2), [x(11) - x(10), 24], 'accent'),
      words(x(10) - 8, y(2) + 42, 'requeues orders that outlive their callers, ends the rest uncharged', {
        anchor: 'end',
        size: 12.5,
        tone: 'faint',
      }),
    ],
  );
}
