/** How right estimates of a start were: what was predicted against what happened. On the diagonal they were right. */
import type { EstimateReliability, MarketEstimate } from '#generated/types.ts';
import { askReliability, SLOW_MS } from '../data/model.ts';
import { countWhole, share } from '../format.ts';
import { Nothing } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';

/** The side of the square, in units of its own. */
const SIDE = 100;

/** The estimates of one market, for each of the times within which an order is to start. */
export function ReliabilitySection({ model }: { readonly model: string }) {
  return (
    <FiguresSection
      title="Estimates"
      about="Whether requests of the last day started as often as their estimates said."
      asking={askReliability(model)}
      everyMs={SLOW_MS}
      sheet={({ reliability }) => ({
        name: `${model}-estimates`,
        rows: () => [
          ['within_seconds', 'said', 'came', 'orders'],
          ...reliability.flatMap(({ within_seconds, tenths }) =>
            tenths.map(({ said, came, orders }) => [within_seconds, said, came, orders]),
          ),
        ],
      })}
    >
      {(value) => <Squares value={value} />}
    </FiguresSection>
  );
}

function Squares({ value: { reliability } }: { readonly value: MarketEstimate }) {
  if (reliability.every(({ tenths }) => tenths.length === 0))
    return <Empty>Too few requests had to wait lately to measure the estimates.</Empty>;
  return (
    <>
      <p class="faint small">
        To the right: the chance to start in time that was said. Upwards: how many of these requests did. A point on the
        diagonal was right.
      </p>
      <div class="squares">
        {reliability.map((horizon) => (
          <Square key={horizon.within_seconds} of={horizon} />
        ))}
      </div>
    </>
  );
}

function Square({ of: { within_seconds, orders, brier, tenths } }: { readonly of: EstimateReliability }) {
  const said = tenths.map(({ said, came }) => `${share(said * 100)} said, ${share(came * 100)} came`);
  return (
    <figure>
      <svg viewBox={`-4 -4 ${SIDE + 8} ${SIDE + 8}`} role="img" aria-label={said.join('; ') || 'Too few requests'}>
        <path class="square" d={`M0 0H${SIDE}V${SIDE}H0ZM0 ${SIDE}L${SIDE} 0`} />
        {tenths.map(({ said, came, orders }) => (
          <circle key={said} class="told" cx={said * SIDE} cy={(1 - came) * SIDE} r={3}>
            <title>{`${share(said * 100)} said, ${share(came * 100)} of ${countWhole(orders)} came`}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="small">
        Within {within_seconds} s: {countWhole(orders)} requests, Brier score {brier ?? <Nothing />}
      </figcaption>
    </figure>
  );
}
