/** What a model is: how much it reads and writes, what it takes, and what it costs. */
import { quoteOf } from '../board/start-price.ts';
import type { BoardRow } from '../data/board.ts';
import { askModel, type ModelFacts, SLOW_MS } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Nothing, UnitPrice } from '../parts/figures.tsx';
import { Hint } from '../parts/hint.tsx';
import { DataTable } from '../parts/table.tsx';

const KINDS = [
  ['Input', 'uncached'],
  ['Input from the cache', 'cached'],
  ['Output', 'output'],
] as const;

/** The prices now and at the quote, and what the model can do. */
export function Facts({ row }: { readonly row: BoardRow }) {
  const { model, level, usd_per_million: prices } = row;
  const quote = quoteOf(row);
  const { path, ask } = askModel(model);
  const facts = useSource(path, ask, SLOW_MS).asked.value.value;
  const atQuote = level && quote ? quote / level : null;
  return (
    <>
      <DataTable
        label="Prices, USD per 1M tokens"
        rows={KINDS}
        keyOf={([name]) => name}
        columns={[
          { head: 'USD per 1M tokens', cell: ([name]) => name },
          { head: 'Now', number: true, cell: ([, kind]) => <UnitPrice value={prices[kind]} /> },
          level !== null && {
            head: 'At the quote',
            number: true,
            hint: <Hint word="quote" />,
            cell: ([, kind]) => <UnitPrice value={atQuote === null ? null : prices[kind] * atQuote} />,
          },
        ]}
      />
      <dl class="figures later">
        <dt>Context</dt>
        <dd>{facts === null ? <Nothing /> : `${countWhole(facts.context_length)} tokens`}</dd>
        <dt>Longest output</dt>
        <dd>{facts === null ? <Nothing /> : `${countWhole(facts.max_output_length)} tokens`}</dd>
        <dt>Takes</dt>
        <dd>{facts === null ? <Nothing /> : takenBy(facts)}</dd>
        {facts?.reserve ? (
          <>
            <dt>Lowest bid that runs</dt>
            <dd>
              <UnitPrice value={facts.reserve} />
            </dd>
          </>
        ) : null}
      </dl>
    </>
  );
}

function takenBy({ accepts_images }: ModelFacts): string {
  return accepts_images ? 'text, tools and images' : 'text and tools';
}
