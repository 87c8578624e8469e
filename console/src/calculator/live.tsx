/** When requests at a limit would start now, computed by the gateway from what waits and what comes. */
import type { MarketEstimate } from '#generated/types.ts';
import { askEstimate } from '../data/model.ts';
import { countWhole, share } from '../format.ts';
import { Money, Nothing } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import type { RequestTokens } from './estimate.ts';

const EVERY_MS = 10_000;
/** The gateway estimates no more requests at once than this. */
const REQUESTS_MAX = 100_000;

interface LiveProps {
  readonly model: string;
  readonly limit: number;
  readonly tokens: RequestTokens;
  readonly requests: number;
}

/** Of one request, and of all of them if they were sent now. */
export function Live({ model, limit, tokens, requests }: LiveProps) {
  const many = Math.min(REQUESTS_MAX, Math.max(1, Math.round(requests)));
  return (
    <>
      <FiguresSection
        title="Sent now, one request"
        about="An estimate from the queue, the arrivals and the run times. It is not a promise; a price lock is one."
        asking={askEstimate(model, { limit, withinS: 60, requests: 1, ...whole(tokens) })}
        everyMs={EVERY_MS}
      >
        {(estimate) => <Figures {...{ estimate }} />}
      </FiguresSection>
      {many > 1 && (
        <FiguresSection
          title={`Sent now, all ${countWhole(many)}`}
          asking={askEstimate(model, { limit, withinS: 3600, requests: many, ...whole(tokens) })}
          everyMs={EVERY_MS}
        >
          {(estimate) => <Figures {...{ estimate }} />}
        </FiguresSection>
      )}
    </>
  );
}

function whole({ input, output }: RequestTokens) {
  return { input: Math.round(input), output: Math.round(output) };
}

function Figures({ estimate }: { readonly estimate: MarketEstimate }) {
  const { chance, within_seconds: within, wait_p50_seconds: half, wait_p90_seconds: most } = estimate;
  return (
    <dl class="figures">
      <dt>Starts within {within >= 3600 ? 'an hour' : 'a minute'}</dt>
      <dd class="level">{chance === null ? <Nothing /> : `${share(chance * 100)} chance`}</dd>
      <dt>Half have started after</dt>
      <dd>
        <Wait seconds={half} known={chance !== null} />
      </dd>
      <dt>Nine in ten have started after</dt>
      <dd>
        <Wait seconds={most} known={chance !== null} />
      </dd>
      <dt>Charged about, none cached</dt>
      <dd>
        <Money value={estimate.expected_charge_usd} />
      </dd>
      <dt>Charged at most</dt>
      <dd>
        <Money value={estimate.greatest_charge_usd} />
      </dd>
    </dl>
  );
}

function Wait({ seconds, known }: { readonly seconds: number | null; readonly known: boolean }) {
  if (!known) return <Nothing />;
  if (seconds === null) return <>more than an hour</>;
  if (seconds === 0) return <>at once</>;
  return <>{seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`}</>;
}
