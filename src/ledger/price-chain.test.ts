import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ChainCheck, type ChainedPrice, genesisHash, type PriceChain, priceChains, rowHash } from './price-chain.ts';

const MODEL = 'tide 70b';

/** Five rows from number 3. */
function chainOf(chain: PriceChain): ChainedPrice[] {
  const rows: ChainedPrice[] = [];
  let previous = genesisHash(chain, MODEL, 3);
  for (const number of [3, 4, 5, 6, 7]) {
    const row = { number, price: number * 1e9, atMs: number, untilMs: chain === 'quotes' ? number + 1 : null };
    const hash = rowHash(chain, MODEL, row, previous);
    rows.push({ ...row, previous, hash });
    previous = hash;
  }
  return rows;
}

function faultOf(chain: PriceChain, rows: readonly ChainedPrice[]): string | null {
  const check = new ChainCheck(chain, MODEL);
  for (const row of rows) {
    const fault = check.add(row);
    if (fault) return fault;
  }
  return null;
}

test('a hash is what the documents say, computed by hand', () => {
  const sha = (text: string) => createHash('sha256').update(text).digest('base64url');
  const genesis = sha(`\ngenesis levels 3 ${MODEL}`);
  const first = sha(`${genesis}\nlevel 3 3000000000 3 ${MODEL}`);
  const [one, two] = chainOf('levels');
  assert.deepEqual(
    [one?.previous, one?.hash, two?.hash],
    [genesis, first, sha(`${first}\nlevel 4 4000000000 4 ${MODEL}`)],
  );
  assert.equal(
    chainOf('quotes')[0]?.hash,
    sha(`${sha(`\ngenesis quotes 3 ${MODEL}`)}\nquote 3 3000000000 3 4 ${MODEL}`),
  );
});

for (const chain of priceChains) {
  test(`${chain}: an unchanged chain is whole, from any of its rows on`, () => {
    const rows = chainOf(chain);
    for (let from = 0; from < rows.length; from++) assert.equal(faultOf(chain, rows.slice(from)), null);
    assert.equal(
      faultOf(
        chain,
        rows.map((row, at) => (at === 0 ? { ...row, previous: null } : row)),
      ),
      null,
    );
  });

  test(`${chain}: every change of every row is found`, () => {
    const rows = chainOf(chain);
    const changes: ((row: ChainedPrice) => Partial<ChainedPrice>)[] = [
      ({ price }) => ({ price: price + 1 }),
      ({ atMs }) => ({ atMs: atMs + 1 }),
      ({ number }) => ({ number: number + 1 }),
      ({ untilMs }) => ({ untilMs: untilMs === null ? 9 : untilMs + 1 }),
      ({ hash }) => ({ hash: `${hash.slice(0, -1)}_` }),
    ];
    for (let at = 0; at < rows.length - 1; at++)
      for (const change of changes)
        assert.notEqual(
          faultOf(
            chain,
            rows.map((row, each) => (each === at ? { ...row, ...change(row) } : row)),
          ),
          null,
        );
  });

  test(`${chain}: a row whose hash was made to fit does not lead to the next one`, () => {
    const rows = chainOf(chain);
    const forged = rows.map((row, at) => {
      if (at !== 2) return row;
      const cheaper = { ...row, price: 1 };
      return { ...cheaper, hash: rowHash(chain, MODEL, cheaper, row.previous) };
    });
    assert.match(faultOf(chain, forged) ?? '', /6 does not follow/);
    const next = forged.map((row, at) => (at === 3 ? { ...row, previous: forged[2]?.hash ?? null } : row));
    assert.match(faultOf(chain, next) ?? '', /6 is not what was published/);
  });

  test(`${chain}: rows that are missing, repeated or of another market are found`, () => {
    const rows = chainOf(chain);
    assert.match(faultOf(chain, rows.toSpliced(2, 1)) ?? '', /6 comes after number 4: rows are missing/);
    assert.notEqual(
      faultOf(
        chain,
        rows.flatMap((row) => [row, row]),
      ),
      null,
    );
    assert.match(new ChainCheck(chain, 'tide').add(rows[0] as ChainedPrice) ?? '', /not what was published/);
  });

  test(`${chain}: a chain that starts again in the middle is found`, () => {
    const rows = chainOf(chain);
    const anew = rows.map((row, at) => (at < 2 ? row : { ...row, previous: genesisHash(chain, MODEL, row.number) }));
    assert.match(faultOf(chain, anew) ?? '', /5 does not follow/);
  });
}
