/** A reload takes all of a file or nothing of it, also when the database fails in the middle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import type { Config } from '#config/config.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import type { OpenMarket } from '#market/ports.ts';
import { parseConfig } from '#testing/judged-config.ts';
import { someQuotes } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { openMarkets } from './markets-past.ts';
import { LiveConfig, Reload } from './reload.ts';

const NEW = ['reef', 'cove', 'fjord'];

/** The file of a start with `tide`, or one with new models at this floor. */
function configOf(floor?: number): Config {
  const added = floor === undefined ? [] : NEW.map((id) => ({ ...marketModel(id, 1), floor }));
  return parseConfig(selling([marketModel('tide', 1), ...added]), 'sluice.yaml', {});
}

/** A running gateway without pods and people. `mayRead` is asked before each reading of the database. */
function gateway(mayRead: () => boolean) {
  const clock = new ManualClock();
  const live = new LiveConfig(configOf(), silentLog);
  const listings = live.config.listings.all;
  const board = new LevelBoard(listings, [], clock.nowMs());
  const options = { listings, levelTimeConstantMs: 20_000, recovered: [], ...someQuotes(), clock };
  const exchange = new LocalExchange(options);
  exchange.listen((event) => {
    if (event.type === 'level') board.apply(event);
    if (event.type === 'quote') board.applyQuote(event);
  });
  const latest = async () => {
    if (!mayRead()) throw new Error('the database does not answer');
    return [];
  };
  const nothing = { add() {} };
  const past = async () => ({ levels: await latest(), quotes: await latest() });
  const open = (market: OpenMarket) => exchange.send(market);
  const opening = { clock, board, open, feed: nothing, history: nothing, past };
  let file = configOf();
  const reload = new Reload({
    ...{
      live,
      log: silentLog,
      read: () => file,
      setLogLevel() {},
      pods: { renew() {} },
      added: async () => [],
      rates: { renew() {} },
    },
    ...{ open: (added) => openMarkets(opening, added), renew() {}, taken: async () => {} },
  });
  return {
    ...{ live, board, exchange },
    reload: (floor: number) => {
      file = configOf(floor);
      return reload.reload(async () => {});
    },
  };
}

test('wherever the database fails, no new model is there, and the next file counts for each of them', async () => {
  let isRefused = false;
  for (let readings = 0; !isRefused || readings < 8; readings++) {
    let left = readings;
    const { live, board, exchange, reload } = gateway(() => left-- > 0);
    const taken = await reload(1).then(
      () => true,
      () => false,
    );
    isRefused ||= !taken;
    if (!taken) {
      assert.deepEqual(
        NEW.map((id) => [board.current(id), live.config.listings.find(id)]),
        NEW.map(() => [null, null]),
      );
      for (const id of NEW) assert.equal(await exchange.book(id), null);
      left = 99;
      await reload(2);
    }
    const floor = taken ? 1 : 2;
    assert.deepEqual(
      NEW.map((id) => board.current(id)?.level),
      NEW.map(() => floor * 1e9),
      `${readings} readings`,
    );
    exchange.close();
  }
});
