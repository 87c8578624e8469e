/** Prices. This file is handwritten and copied into the client as it is: the generated streams end with their connection. */
import type { GetMarketCandlesRequest } from './apis/index.js';
import type { Core } from './client.js';
import { RateLimitError, ServerError } from './error-classes.js';
import { ConnectionError, TimeoutError } from './errors.js';
import { StreamCut } from './event-stream.js';
import {
  type LevelsFrameEntry,
  LevelsFrameFromJSON,
  type MarketCandles,
  type ModelList,
  type Quote,
} from './models/index.js';
import { backoffMs, type CallOptions, sleep, withEnd, withOptions } from './transport.js';

/** The markets. None of these needs a key. */
export class Market {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** The level of each market, and then every change, until the loop is left. It connects again after a cut. */
  async *levels(options?: CallOptions): AsyncGenerator<LevelsFrameEntry> {
    const bounded = withEnd(options);
    for (let fruitless = 0; ; fruitless++) {
      try {
        for await (const { data } of await this.#core.streams.streamLevels({}, withOptions(bounded))) {
          fruitless = 0;
          yield* LevelsFrameFromJSON(JSON.parse(data)).levels;
        }
      } catch (error) {
        const isPassing = [ConnectionError, ServerError, RateLimitError, StreamCut].some(
          (Class) => error instanceof Class,
        );
        if (!isPassing) throw error;
      }
      if (!(await sleep(backoffMs(fruitless), bounded.signal)))
        throw new TimeoutError('The stream of levels was left.', { cause: bounded.signal?.reason });
    }
  }

  /** The levels of a market over a range, in buckets of so many seconds or the next smaller. */
  candles(request: GetMarketCandlesRequest = {}, options?: CallOptions): Promise<MarketCandles> {
    return this.#core.market.getMarketCandles(request, withOptions(options));
  }

  /** What a locked order would bid at most now. */
  quote(model?: string, options?: CallOptions): Promise<Quote> {
    return this.#core.market.getPriceLock(model === undefined ? {} : { model }, withOptions(options));
  }

  /** What is sold. */
  models(options?: CallOptions): Promise<ModelList> {
    return this.#core.models.listModels(withOptions(options));
  }
}
