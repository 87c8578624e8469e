/** The view of one model: what it costs now, how that came, and how well it is served. */
import { placeLink, useChoice } from '../address.ts';
import { startPriceOf } from '../board/start-price.ts';
import { type BoardRow, board, rows } from '../data/board.ts';
import { lateMs } from '../data/live.ts';
import { LONG_RANGES } from '../data/model.ts';
import { priceText } from '../format.ts';
import { Choice, periods } from '../parts/choice.tsx';
import { Badges, Change, Share, Ticking, UnitPrice } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Hint } from '../parts/hint.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { BuyBox } from './buy-box.tsx';
import { Facts } from './facts.tsx';
import { HealthSection } from './health.tsx';
import { LadderSection } from './ladder.tsx';
import { Latency } from './latency.tsx';
import { LevelSection } from './level-chart.tsx';
import { useOwnBids } from './own-bids.ts';
import { QuoteBox } from './quote-box.tsx';
import { ReliabilitySection } from './reliability.tsx';
import { Tape } from './tape.tsx';
import { Locks, Volume } from './traffic.tsx';

/** The screen at `#/model/…`. */
export function ModelView({ model, accounts }: { readonly model: string; readonly accounts: boolean }) {
  const row = rows.value?.find((other) => other.model === model);
  const { failure, value } = board.asked.value;
  if (row) return <View key={model} row={row} accounts={accounts} />;
  if (value)
    return (
      <>
        <Heading title="No such model" />
        <Empty>
          There is no model {model} here. <a href={placeLink('')}>The market</a> lists those that there are.
        </Empty>
      </>
    );
  return failure ? <Failure sentence={failure} retry={() => void board.refresh()} /> : <Loading />;
}

function View({ row, accounts }: { readonly row: BoardRow; readonly accounts: boolean }) {
  const { model } = row;
  const isUnsold = row.preview || row.deprecated;
  return (
    <>
      <Heading title={row.display_name} tab={tabOf(row)} badges={<Badges of={row} />} />
      {row.display_name !== model && <p class="faint">{model}</p>}
      {isUnsold && (
        <p class="empty">
          {row.preview
            ? 'A preview: nobody can buy it yet. Its prices are simulated, and a request for it is refused until it opens.'
            : 'It takes no requests any more.'}{' '}
          <a href={placeLink('')}>Models that take requests</a>
        </p>
      )}
      <div class="summary">
        <section class="panel" aria-label="Prices">
          <Now row={row} />
          <Facts row={row} />
        </section>
        {!isUnsold && <BuyBox row={row} accounts={accounts} />}
      </div>
      {row.pricing === 'market' && <Trading row={row} />}
      {!row.preview && <OverTime row={row} />}
    </>
  );
}

/** What was sold, and how well: nothing of a preview. */
function OverTime({ row }: { readonly row: BoardRow }) {
  const { model, pricing } = row;
  const [range, setRange] = useChoice('period', LONG_RANGES);
  const market = pricing === 'market';
  return (
    <>
      <div class="head later">
        <h2>Over time</h2>
        <Choice label="Period of the charts below" options={periods(LONG_RANGES)} value={range} onChoose={setRange} />
      </div>
      <div class="grid pairs">
        {!market && <Volume model={model} range={range} />}
        <HealthSection model={model} range={range} />
        <Latency row={row} range={range} />
        {market && <Locks model={model} range={range} />}
        {market && <ReliabilitySection model={model} />}
      </div>
    </>
  );
}

/** What only markets have: the level, the orders that wait, and the quote. */
function Trading({ row }: { readonly row: BoardRow }) {
  const { model, level, preview } = row;
  const own = useOwnBids(model);
  return (
    <>
      <LevelSection model={model} own={own} />
      <div class="grid thirds later">
        {!preview && <LadderSection model={model} level={level} bids={own.bids} />}
        <Tape model={model} />
        <QuoteBox row={row} />
      </div>
    </>
  );
}

/** The price now; one of the past says so. */
function tabOf({ level }: BoardRow): string {
  if (level === null) return '';
  return lateMs.value === null ? priceText(level) : `${priceText(level)} (old)`;
}

function Now({ row }: { readonly row: BoardRow }) {
  return (
    <dl class="now">
      {row.level === null ? (
        <div>
          <dt>
            Fixed price
            <Hint word="reference mix" />
          </dt>
          <dd class="big">
            <UnitPrice value={startPriceOf(row)} />
          </dd>
        </div>
      ) : (
        <>
          <div>
            <dt>
              Level
              <Hint word="level" />
            </dt>
            <dd class="big">
              <Ticking value={row.level} />
            </dd>
          </div>
          <div>
            <dt>24 h</dt>
            <dd>
              <Change pct={row.change_24h_pct} />
            </dd>
          </div>
        </>
      )}
      <div>
        <dt>Uptime, 24 h</dt>
        <dd>
          <Share pct={row.uptime_pct} />
        </dd>
      </div>
    </dl>
  );
}
