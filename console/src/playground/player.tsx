/** One model of the playground: its bid, its answer, where its order is, and its receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { costOf } from '../calculator/estimate.ts';
import type { BoardRow } from '../data/board.ts';
import { count, duration, moneyWholeText } from '../format.ts';
import { BidOutcome, LimitField } from '../model/bid.tsx';
import { Money, Ticking } from '../parts/figures.tsx';
import { paidText } from '../parts/paid.ts';
import { ask, type StreamedAnswer } from './chat.ts';

const EVERY_MS = 10_000;
/** Within how long it is to start, for the chance. */
const WITHIN_S = 10;
/** As the gateway does before the model has counted them. */
const CHARACTERS_PER_TOKEN = 4;

/** A model, and the limit at which it is asked. */
export interface PlayerBid {
  readonly row: BoardRow;
  /** Null on a fixed-price model. */
  readonly limit: number | null;
  readonly choose: (model: string) => void;
  readonly offer: (limit: number) => void;
}

interface PlayerProps {
  /** Names the panel; another than that of the panel beside it. */
  readonly label: string;
  readonly bid: PlayerBid;
  readonly known: readonly BoardRow[];
  readonly prompt: string;
  readonly tokensMax: number;
  /** It asks when this grows. */
  readonly round: number;
}

/** The panel of one model. */
export function Player({ label, bid, known, prompt, tokensMax, round }: PlayerProps) {
  const { row, limit } = bid;
  const { answer, stop } = useAnswer(round, { model: row.model, prompt, limit, tokensMax });
  const input = Math.ceil(prompt.length / CHARACTERS_PER_TOKEN);
  return (
    <section class="panel" aria-label={label}>
      <label class="field">
        Model
        <select value={row.model} onChange={({ currentTarget }) => bid.choose(currentTarget.value)}>
          {known.map(({ model, display_name }) => (
            <option key={model} value={model}>
              {display_name}
            </option>
          ))}
        </select>
      </label>
      {limit === null ? (
        <p>
          Fixed price: about <Money value={costOf({ input, cachedShare: 0, output: tokensMax }, row.usd_per_million)} />{' '}
          at most.
        </p>
      ) : (
        <>
          <LimitField row={row} value={limit} onChange={bid.offer} />
          <BidOutcome {...{ row, limit, input }} output={tokensMax} withinS={WITHIN_S} everyMs={EVERY_MS} />
        </>
      )}
      {answer && (
        <>
          <Progress answer={answer} row={row} stop={stop} />
          <section class="answer" aria-label={`Answer of ${label}`} aria-busy={answer.phase === 'answering'}>
            {answer.thoughts !== '' && <span class="faint">{answer.thoughts}</span>}
            {answer.text}
          </section>
          {answer.receipt && <Bill answer={answer} />}
        </>
      )}
    </section>
  );
}

/** The answer of the last round; null before the first. */
function useAnswer(round: number, question: Parameters<typeof ask>[0]) {
  const [answer, show] = useState<StreamedAnswer | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => {
    if (round === 0) return undefined;
    const controller = new AbortController();
    abort.current = controller;
    // What an earlier round still says is of no interest.
    void ask(question, (change) => abort.current === controller && show(change), controller.signal);
    return () => controller.abort();
  }, [round]);
  return { answer, stop: () => abort.current?.abort() };
}

interface ProgressProps {
  readonly answer: StreamedAnswer;
  readonly row: BoardRow;
  readonly stop: () => void;
}

function Progress({ answer, row, stop }: ProgressProps) {
  const { phase, place, failure } = answer;
  const goesOn = phase === 'waiting' || phase === 'answering';
  return (
    <div class="head">
      <span role="status">
        <span class={`pill ${LOOKS[phase]}`}>{WORDS[phase]}</span>{' '}
        {failure !== '' && <span class="fall">{failure}</span>}
        {place !== null && `Number ${place} in the queue. `}
      </span>
      {goesOn && (
        <span class="choices">
          {row.level !== null && (
            <span class="faint small">
              Level <Ticking value={row.level} />
            </span>
          )}
          <button type="button" onClick={stop}>
            Stop
          </button>
        </span>
      )}
    </div>
  );
}

const WORDS = { waiting: 'Waiting', answering: 'Answering', done: 'Done', failed: 'Failed' } as const;
const LOOKS = { waiting: 'pill-warn', answering: 'pill-info', done: 'pill-well', failed: 'pill-wrong' } as const;

function Bill({ answer: { receipt, tokens, firstMs, tookMs } }: { readonly answer: StreamedAnswer }) {
  if (!receipt || !tokens) return null;
  const { pricing, bid, level_at_execution: price, charged_usd } = receipt;
  return (
    <>
      <p>
        <strong>{moneyWholeText(charged_usd)}</strong>
        {pricing === 'market' && ` ${paidText({ bid, price, level: null })}`}
      </p>
      <p class="faint small">
        {count(tokens.input)} tokens in, {count(tokens.output)} out
        {firstMs !== null && `, the first after ${duration(firstMs)}`}
        {tookMs !== null && `, done after ${duration(tookMs)}`}.{' '}
        <a href={`/settings#/order/${receipt.order_id}`}>Receipt</a>
      </p>
    </>
  );
}
