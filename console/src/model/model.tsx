/** The view of one model: what it costs now, how that came, and how well it is served. */
import { placeLink, useChoice } from '../address.ts';
import { type BoardRow, board, rows } from '../data/board.ts';
import { lateMs } from '../data/live.ts';
import { LONG_RANGES } from '../data/model.ts';
import { priceText } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Badges, Change, Share, UnitPrice } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { HealthSection } from './health.tsx';
import { Latency } from './latency.tsx';
import { LevelSection } from './level-chart.tsx';
import { QuoteBox } from './quote-box.tsx';
import { ReliabilitySection } from './reliability.tsx';
import { DepthSection, Locks, Volume } from './traffic.tsx';

/** The screen at `#/model/…`. */
export function ModelView({ model }: { readonly model: string }) {
  const row = rows.value?.find((other) => other.model === model);
  const { failure, value } = board.asked.value;
  if (row) return <View key={model} row={row} />;
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

function View({ row }: { readonly row: BoardRow }) {
  const [range, setRange] = useChoice('period', LONG_RANGES);
  const { model } = row;
  const market = row.pricing === 'market';
  return (
    <>
      <Heading title={row.display_name} tab={tabOf(row)} badges={<Badges of={row} />} />
      {row.display_name !== model && <p class="faint">{model}</p>}
      {row.preview && (
        <p class="empty">
          A preview: nobody can buy it yet. Its prices are simulated, and a request for it is refused until it opens.
        </p>
      )}
      <Now row={row} />
      {market && (
        <div class="grid two">
          <LevelSection model={model} />
          <QuoteBox model={model} />
        </div>
      )}
      <div class="head later">
        <h2>Over time</h2>
        <Choice
          label="Period of the charts below"
          options={LONG_RANGES.map((name) => [name, name])}
          value={range}
          onChoose={setRange}
        />
      </div>
      <div class="grid">
        <Volume model={model} range={range} />
        <HealthSection model={model} range={range} />
        <Latency model={model} range={range} />
        {market && <Locks model={model} range={range} />}
        {market && <DepthSection model={model} />}
        {market && <ReliabilitySection model={model} />}
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
  const { uncached, cached, output } = row.usd_per_million;
  return (
    <dl class="now">
      {row.level !== null && (
        <div>
          <dt>Level</dt>
          <dd class="big">
            <UnitPrice value={row.level} />
          </dd>
        </div>
      )}
      {row.level !== null && (
        <div>
          <dt>24 h</dt>
          <dd>
            <Change pct={row.change_24h_pct} />
          </dd>
        </div>
      )}
      <div>
        <dt>Input</dt>
        <dd>
          <UnitPrice value={uncached} />
        </dd>
      </div>
      <div>
        <dt>Cached input</dt>
        <dd>
          <UnitPrice value={cached} />
        </dd>
      </div>
      <div>
        <dt>Output</dt>
        <dd>
          <UnitPrice value={output} />
        </dd>
      </div>
      <div>
        <dt>Uptime, 24 h</dt>
        <dd>
          <Share pct={row.uptime_pct} />
        </dd>
      </div>
    </dl>
  );
}
