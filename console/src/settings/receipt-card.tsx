/**
 * A receipt as its holder reads it: the amount, what the market saved, and a seal. All figures are those that the gateway
 * has signed. The browser verifies the signature and computes the charge again, for every reader.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SignedReceipt } from '#generated/types.ts';
import { sentenceOf } from '../data/polled.ts';
import { countWhole, moneyWholeText, priceText, priceWholeText } from '../format.ts';
import { Moment } from '../parts/figures.tsx';
import { paidText } from '../parts/paid.ts';
import { type ByKind, type ChargedBy, costLine, dollars, pricesOf, recomputedNano, stepsOf } from './receipt.ts';
import { checkedSignature, type SignatureCheck } from './verify-receipt.ts';

type Claims = SignedReceipt['receipt'];

interface ReceiptCardProps {
  readonly signed: SignedReceipt;
  /** What is not part of the receipt, such as a refund. */
  readonly children?: ComponentChildren;
}

/** The receipt, which prints on its own. */
export function ReceiptCard({ signed, children }: ReceiptCardProps) {
  const { receipt } = signed;
  const terms = termsOf(receipt);
  const tokens = {
    cached: receipt.cached_tokens,
    uncached: receipt.prompt_tokens - receipt.cached_tokens,
    output: receipt.output_tokens,
  };
  return (
    <section class="receipt" aria-label="Receipt">
      <p class="small faint">Receipt of {location.host}</p>
      <p class="paid">{moneyWholeText(receipt.charged_nano_usd / 1e9)}</p>
      <p class="saved">{terms.pricing === 'fixed' ? 'A model of fixed prices.' : whyText(receipt)}</p>
      <dl class="figures">
        <dt>Model</dt>
        <dd>{receipt.model}</dd>
        {receipt.admitted_at !== null && (
          <>
            <dt>Started</dt>
            <dd>
              <Moment ms={Date.parse(receipt.admitted_at)} />
            </dd>
          </>
        )}
        <dt>Settled</dt>
        <dd>
          <Moment ms={Date.parse(receipt.settled_at)} />
        </dd>
        <dt>Order</dt>
        <dd class="path">{receipt.order_id}</dd>
      </dl>
      <TokenLines prices={pricesOf(terms)} tokens={tokens} />
      <p class="small">{costLine(terms, tokens)}</p>
      {receipt.written_off_nano_usd > 0 && (
        <p class="small">
          Nobody pays {moneyWholeText(receipt.written_off_nano_usd / 1e9)} of what the tokens cost: it was more than was
          held.
        </p>
      )}
      {receipt.estimated && (
        <p class="faint small">The pod did not say how many tokens it took: the gateway counted.</p>
      )}
      {children}
      <Seal signed={signed} amount={recomputedNano(terms, tokens)} />
      <details>
        <summary>How it is computed</summary>
        <p class="small">
          {stepsOf(terms, tokens)}, rounded once to nine decimals.{' '}
          {terms.pricing === 'market' &&
            `Price × weighed tokens ÷ weighed reference mix: 0.9 cached, 0.1 not cached, 0.02 output. ${weightsText(terms.ratio)} `}
          The {terms.pricing === 'market' ? 'weights' : 'prices'} are those under which the order was sent.
        </p>
      </details>
      <p class="row unprinted">
        <button type="button" class="button" onClick={() => print()}>
          Print
        </button>
        <a
          class="button"
          download={`receipt-${signed.id}.json`}
          href={`data:application/json,${encodeURIComponent(JSON.stringify(signed))}`}
        >
          Save the receipt
        </a>
      </p>
    </section>
  );
}

/** `level_nano_usd` is the price charged; what the level was is in the row of its ledger, for as long as that is kept. */
function whyText({ bid_nano_usd: bid, level_nano_usd: price, level_row: row }: Claims): string {
  return paidText({ bid: bid / 1e9, price: price / 1e9, level: row && row.level_nano_usd / 1e9 });
}

function weightsText({ cached, uncached, output }: ByKind): string {
  return `A cached token weighs ${cached}, another of the input ${uncached}, one of the output ${output}.`;
}

/** Weights and prices are in units of 10^-9. */
function termsOf({ tariff, level_nano_usd: level }: Claims): ChargedBy {
  const [pricing, ...units] = tariff.split(':');
  const [cached = 0, uncached = 0, output = 0] = units.map((unit) => Number(unit) / 1e9);
  const parts = { cached, uncached, output };
  return pricing === 'fixed' ? { pricing, prices: parts } : { pricing: 'market', price: level / 1e9, ratio: parts };
}

const KINDS = [
  ['cached', 'Input, cached'],
  ['uncached', 'Input, not cached'],
  ['output', 'Output'],
] as const;

function TokenLines({ prices, tokens }: { readonly prices: ByKind; readonly tokens: ByKind }) {
  return (
    <table class="tokens">
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col" class="number">
            Count
          </th>
          <th scope="col" class="number">
            USD per 1M
          </th>
        </tr>
      </thead>
      <tbody>
        {KINDS.map(([kind, name]) => (
          <tr key={kind}>
            <th scope="row">{name}</th>
            <td class="number">{countWhole(tokens[kind])}</td>
            <td class="number" title={priceWholeText(prices[kind])}>
              {priceText(prices[kind])}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whether the browser comes to the same amount, and the signature fits. What was written off was computed, and not charged. */
function Seal({ signed, amount }: { readonly signed: SignedReceipt; readonly amount: bigint }) {
  const [check, setCheck] = useState<SignatureCheck | null>(null);
  useEffect(() => {
    checkedSignature(signed).then(setCheck, (error) => setCheck({ says: sentenceOf(error), fits: false }));
  }, [signed.jws]);
  const { charged_nano_usd: charged, written_off_nano_usd: writtenOff } = signed.receipt;
  const agrees = amount === BigInt(charged) + BigInt(writtenOff);
  const isGood = agrees && check?.fits === true;
  return (
    <div
      class={`seal ${isGood ? 'rise' : check === null || (agrees && check.fits === null) ? '' : 'fall'}`}
      role="status"
    >
      <span class="mark" aria-hidden="true">
        {isGood ? '✓' : check === null ? '…' : '!'}
      </span>
      <span>
        {check === null ? 'The signature is being verified …' : check.says}
        <br />
        Recomputed in this browser: {agrees ? 'agrees.' : `${moneyWholeText(dollars(amount))}, which differs.`}
      </span>
    </div>
  );
}
