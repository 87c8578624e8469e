/**
 * Renders candles, again for each request: a month by the minute, five megabytes, takes ten to twenty milliseconds, and
 * a cache of responses would take more memory than the charts. Open, high, low
 * and close are joined in `market/data/level-candles.ts`; their widths are `candleWidths`;
 * `openapi/parameters/market.yaml` says how a `bucket` is snapped to one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rendered } from '#contract/reply.ts';
import { type LevelSpan, meanOf } from '#market/data/level-candles.ts';
import type { LevelChart } from '#market/data/level-chart.ts';
import { DigitWriter, type Word, word } from './digit-writer.ts';
import type { Stretch } from './market-ranges.ts';

/** Candles rendered in one turn of the event loop: about two milliseconds. */
const CANDLES_A_TURN = 7200;
/** Estimates: the text before the candles, and one candle with prices of a few hundred dollars. */
const HEAD_BYTES = 500;
const CANDLE_BYTES = 125;
/** A bound of one candle: six numbers of at most 22 characters, and seven words of twelve bytes. */
const CANDLE_BYTES_MAX = 240;

const FIRST = word('{"t":');
const NEXT = word(',{"t":');
const OPEN = word(',"open":');
const HIGH = word(',"high":');
const LOW = word(',"low":');
const CLOSE = word(',"close":');
const MEAN = word(',"mean":');
const END = word('}');

/** Charts of more candles than this use the buffer pool, which keeps ten megabytes. */
const SHORT_CHART = 5000;
const LONGEST_CHART = 30 * 1440;
const SPARE_MAX = 2;

type Candle = Readonly<Record<'t' | 'open' | 'high' | 'low' | 'close' | 'mean', number>>;

/** A chart as JSON. Call `release` when nothing reads `raw` any more: its memory is reused. */
interface RenderedCandles<Head> {
  readonly raw: Rendered<Head & { readonly candles: readonly Candle[] }>;
  readonly release: () => void;
}

/** Renders charts. */
export class CandleRenderer {
  readonly #memory = new BufferPool({ bytes: bytesFor(LONGEST_CHART), spareMax: SPARE_MAX });

  /**
   * `head` as JSON with `candles` as its last key: `{t, open, high, low, close, mean}` of each bucket with a known
   * level, oldest first, prices in USD. A long chart is rendered over several turns of the event loop. Spec 2.8.
   */
  async render<Head extends object>(head: Head, chart: LevelChart, stretch: Stretch): Promise<RenderedCandles<Head>> {
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

async function withCandles<Head extends object>(
  out: DigitWriter,
  head: Head,
  chart: LevelChart,
  stretch: Stretch,
): Promise<RenderedCandles<Head>['raw']> {
  const { fromS, toS, bucketS } = stretch;
  out.text(JSON.stringify({ ...head, candles: [] }).slice(0, -']}'.length));
  let name = FIRST;
  const put = (atMs: number, span: LevelSpan) => {
    putCandle(out, name, atMs, span);
    name = NEXT;
  };
  const turnS = CANDLES_A_TURN * bucketS;
  for (let atS = fromS; atS < toS; atS += turnS) {
    if (atS > fromS) await nextTurn();
    chart.each(atS * 1000, Math.min(atS + turnS, toS) * 1000, bucketS * 1000, put);
  }
  out.text(']}');
  return out.written() as Uint8Array as RenderedCandles<Head>['raw'];
}

/** About how many bytes this many candles take. */
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

/**
 * Reused memory for responses of megabytes. If each had memory of its own, a dozen of them would start the garbage
 * collector, which blocks the event loop for as long as rendering one response takes.
 */
export class BufferPool {
  readonly #bytes: number;
  readonly #spareMax: number;
  readonly #spare: Buffer<ArrayBuffer>[] = [];

  /** Keeps up to `spareMax` unused buffers of `bytes`. More may be in use; they are garbage afterwards. */
  constructor({ bytes, spareMax }: { bytes: number; spareMax: number }) {
    this.#bytes = bytes;
    this.#spareMax = spareMax;
  }

  /** A buffer with arbitrary content. */
  take(): Buffer<ArrayBuffer> {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
  }

  /** Returns a buffer that nothing reads any more. One that is never returned is only not reused. */
  give(block: Buffer<ArrayBuffer>): void {
    if (this.#spare.length < this.#spareMax) this.#spare.push(block);
  }
}
