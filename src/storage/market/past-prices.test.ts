/** The chains as the journal writes them and as they are read, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS } from '#base/time.ts';
import {
  ChainCheck,
  type ChainedPrice,
  genesisHash,
  type PriceChain,
  priceChains,
  rowHash,
} from '#ledger/price-chain.ts';
import { audit } from '#storage/audit/index.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { type Unit, UnitBench } from '#testing/unit-suite.ts';
import { sweepMarket } from '../cleanup/sweep-market.ts';
import { createPastPrices } from './past-prices.ts';

const level = (model: string, levelSeq: number): Unit => {
  return { kind: 'level', model, levelSeq, level: 1e9 + levelSeq, atMs: startMs + levelSeq * 1000 };
};
const quote = (model: string, quoteSeq: number): Unit => {
  const atMs = startMs + quoteSeq * 1000;
  return { kind: 'quote', model, quoteSeq, price: 2e9 + quoteSeq, atMs, untilMs: atMs + 1000, state: null };
};
const unitOf = { levels: level, quotes: quote } as const;
const seqs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

for (const tested of testedDatabases) {
  describe(`price chains on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: UnitBench;
    let models = 0;
    before(async () => {
      bench = new UnitBench(await openTested(tested));
    });
    after(() => bench?.close());

    const newModel = () => `model ${++models}`;
    const pageOf = (chain: PriceChain, model: string, after = 0, limit = 100) =>
      createPastPrices(bench.db).page(chain, model, { after, limit });
    function faultIn(chain: PriceChain, model: string, rows: readonly ChainedPrice[]): string | null {
      const check = new ChainCheck(chain, model);
      return rows.map((row) => check.add(row)).find((fault) => fault !== null) ?? null;
    }
    const findings = async (model: string) =>
      (await audit(bench.db, null, { nowMs: startMs })).findings.filter((each) => each.includes(model));

    for (const chain of priceChains) {
      test(`${chain}: alone, together, or again after a lost answer, the same chain is written`, async () => {
        const [alone, together, again] = [newModel(), newModel(), newModel()];
        for (const seq of seqs(1, 6)) await bench.apply([unitOf[chain](alone, seq)]);
        await bench.apply(seqs(1, 6).map((seq) => unitOf[chain](together, seq)));
        await bench.apply(seqs(1, 4).map((seq) => unitOf[chain](again, seq)));
        await bench.apply(
          seqs(3, 6).map((seq) => unitOf[chain](again, seq)),
          true,
        );
        for (const model of [alone, together, again]) {
          const rows = await pageOf(chain, model);
          assert.deepEqual(
            rows.map(({ number }) => number),
            seqs(1, 6),
          );
          assert.equal(rows[0]?.previous, genesisHash(chain, model, 1));
          assert.equal(faultIn(chain, model, rows), null);
        }
      });

      test(`${chain}: pages follow from each other, and a row can be had alone`, async () => {
        const model = newModel();
        await bench.apply(seqs(1, 7).map((seq) => unitOf[chain](model, seq)));
        const whole = await pageOf(chain, model);
        const pages = [
          await pageOf(chain, model, 0, 3),
          await pageOf(chain, model, 3, 3),
          await pageOf(chain, model, 6, 3),
        ];
        assert.deepEqual(pages.flat(), whole);
        const prices = createPastPrices(bench.db);
        assert.deepEqual(await prices.row(chain, model, 5), whole[4]);
        assert.deepEqual(await prices.newest(chain, model), whole[6]);
        assert.deepEqual([await prices.row(chain, model, 8), await prices.newest(chain, 'none')], [null, null]);
        const at = (ms: number) => prices.numberAt(chain, model, startMs + ms);
        assert.deepEqual(await Promise.all([at(0), at(1000), at(3999), at(4000), at(1e9)]), [1, 1, 3, 4, 7]);
        assert.equal(await prices.numberAt(chain, 'none', startMs), 0);
      });

      test(`${chain}: what was written before there were chains is in none, and the next row begins one`, async () => {
        const model = newModel();
        await bench.apply(seqs(1, 3).map((seq) => unitOf[chain](model, seq)));
        await bench.db.knex(chain).where({ model }).update({ hash: null });
        await bench.apply(seqs(4, 6).map((seq) => unitOf[chain](model, seq)));
        const rows = await pageOf(chain, model);
        assert.deepEqual(
          rows.map(({ number }) => number),
          [4, 5, 6],
        );
        assert.equal(rows[0]?.previous, genesisHash(chain, model, 4));
        assert.deepEqual(await pageOf(chain, model, 0, 2), rows.slice(0, 2));
        assert.deepEqual(await pageOf(chain, model, 4, 2), rows.slice(1));
        assert.equal(faultIn(chain, model, rows), null);
        const before = await createPastPrices(bench.db).row(chain, model, 2);
        assert.deepEqual([before?.number, before?.hash, before?.previous], [2, null, null]);
        const own = (await findings(model)).filter((each) => /hash/.test(each));
        assert.deepEqual(own, []);
      });

      test(`${chain}: a row without its hash in the middle is missing, and a finding`, async () => {
        const model = newModel();
        const number = chain === 'levels' ? 'level_seq' : 'quote_seq';
        await bench.apply([
          level(model, 1),
          ...seqs(1, 5)
            .map((seq) => unitOf[chain](model, seq))
            .slice(chain === 'levels' ? 1 : 0),
        ]);
        await bench.db
          .knex(chain)
          .where({ model, [number]: 3 })
          .update({ hash: null });
        assert.match(faultIn(chain, model, await pageOf(chain, model)) ?? '', /4 comes after number 2/);
        assert.match((await findings(model)).join(), /(level|quote) 3 has no hash, and those before it have/);
      });
    }

    test('after the sweep the oldest level has nothing before it, and the rest still follows', async () => {
      const model = newModel();
      await bench.apply(seqs(1, 9).map((seq) => level(model, seq)));
      await sweepMarket(bench.db, startMs + 5500 + 2 * DAY_MS);
      const rows = await pageOf('levels', model);
      assert.deepEqual([rows[0]?.number, rows[0]?.previous], [5, null]);
      assert.equal(faultIn('levels', model, rows), null);
      await bench.apply([level(model, 10)]);
      assert.equal(faultIn('levels', model, await pageOf('levels', model)), null);
      assert.deepEqual(
        (await findings(model)).filter((each) => /hash/.test(each)),
        [],
      );
    });

    test('whatever an older gateway wrote between, the chain starts again, and that is found', async () => {
      const model = newModel();
      await bench.apply(seqs(1, 2).map((seq) => level(model, seq)));
      await bench.db.knex('levels').insert({ model, level_seq: 3, level: 1, at_ms: startMs + 3000 });
      await bench.db.knex('markets').where({ model }).update({ level_seq: 3 });
      await bench.apply([level(model, 4)]);
      const rows = await pageOf('levels', model);
      assert.equal(rows.at(-1)?.previous, genesisHash('levels', model, 4));
      assert.match(faultIn('levels', model, rows) ?? '', /4 comes after number 2/);
    });

    test('a hash that was made to fit does not lead to the next row', async () => {
      const model = newModel();
      await bench.apply(seqs(1, 4).map((seq) => level(model, seq)));
      const second = (await pageOf('levels', model))[1];
      assert.ok(second);
      const cheaper = { ...second, price: 1 };
      const hash = rowHash('levels', model, cheaper, second.previous);
      await bench.db.knex('levels').where({ model, level_seq: 2 }).update({ level: 1, hash });
      assert.match(faultIn('levels', model, await pageOf('levels', model)) ?? '', /^Level 3 is not what was published/);
      assert.match((await findings(model)).join(), /level 3 is not what was published/);
    });
  });
}
