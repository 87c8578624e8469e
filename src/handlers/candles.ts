/**
 * Candles as they are answered. They are rendered anew each time: a month by the minute, five megabytes, takes ten to
 * twenty milliseconds, and pages that are kept would take more memory than the charts.
 */
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Stretch } from '#market/history.ts';
import type { LevelChart } from '#market/level-chart.ts';
import { type LevelSpan, meanOf } from '#market/level-slots.ts';
import { DigitWriter, type Word, word } from './digit-writer.ts';
import { SpareMemory } from './spare-memory.ts';

/** Candles rendered before others have their turn: about two milliseconds. */
const CANDLES_A_TURN = 7200;
/** About what stands before the candles, and what one of them takes with prices of a few hundred dollars. */
const HEAD_BYTES = 500;
const CANDLE_BYTES = 125;
/** More than any candle takes: six numbers of at most 22 characters, and seven words of twelve bytes. */
const CANDLE_BYTES_MAX = 240;

const FIRST = word('{"t":');
const NEXT = word(',{"t":');
const OPEN = word(',"open":');
const HIGH = word(',"high":');
const LOW = word(',"low":');
const CLOSE = word(',"close":');
const MEAN = word(',"mean":');
const END = word('}');

/** Charts of more candles than this share memory, of which ten megabytes are kept. */
const SHORT_CHART = 5000;
const LONGEST_CHART = 30 * 1440;
const SPARE_MAX = 2;

/** A chart as JSON. `release` is to be called when nobody reads `raw` any more: its memory is used again. */
export interface RenderedCandles {
  readonly raw: Uint8Array;
  readonly release: () => void;
}

/** Renders charts. */
export class CandleRenderer {
  readonly #memory = new SpareMemory({ bytes: bytesFor(LONGEST_CHART), spareMax: SPARE_MAX });

  /**
   * `head` as JSON with `candles` as its last key: `{t, open, high, low, close, mean}` of each bucket of which something
   * is known, oldest first, prices in USD. Others have their turn while a long chart is rendered. Spec 2.8.
   */
  async render(head: object, chart: LevelChart, stretch: Stretch): Promise<RenderedCandles> {
    const candles = (stretch.toS - stretch.fromS) / stretch.bucketS;
    if (candles <= SHORT_CHART) {
      const memory = Buffer.allocUnsafeSlow(bytesFor(candles));
      return { raw: await withCandles(new DigitWriter(memory), head, chart, stretch), release: () => {} };
    }
    const memory = this.#memory.take();
    const raw = await withCandles(new DigitWriter(memory), head, chart, stretch);
    return { raw, release: () => this.#memory.give(memory) };
  }
}

async function withCandles(out: DigitWriter, head: object, chart: LevelChart, stretch: Stretch): Promise<Uint8Array> {
  const { fromS, toS, bucketS } = stretch;
  out.text(JSON.stringify({ ...head, candles: [] }).slice(0, -']}'.length));
  let name = FIRST;
  const put = (atMs: number, span: LevelSpan) => {
    putCandle(out, name, atMs, span);
    name = NEXT;
  };
  const turnS = CANDLES_A_TURN * bucketS;
  for (let atS = fromS; atS < toS; atS += turnS) {
    if (atS > fromS) await othersFirst();
    chart.each(atS * 1000, Math.min(atS + turnS, toS) * 1000, bucketS * 1000, put);
  }
  out.text(']}');
  return out.written();
}

/** About what so many candles take. */
function bytesFor(candles: number): number {
  return HEAD_BYTES + candles * CANDLE_BYTES;
}

function putCandle(out: DigitWriter, name: Word, atMs: number, span: LevelSpan): void {
  out.reserve(CANDLE_BYTES_MAX);
  out.put(name);
  out.whole(atMs / 1000);
  out.put(OPEN);
  out.price(span.open);
  out.put(HIGH);
  out.price(span.high);
  out.put(LOW);
  out.price(span.low);
  out.put(CLOSE);
  out.price(span.close);
  out.put(MEAN);
  out.price(meanOf(span));
  out.put(END);
}
