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
import { type ByKind, type ChargedBy, dollars, recomputedNano, stepsOf } from './receipt.ts';
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
      <p class="saved">{savedText(receipt, terms)}</p>
      <dl class="figures">
        <dt>Model</dt>
        <dd>{receipt.model}</dd>
        <dt>Settled</dt>
        <dd>
          <Moment ms={Date.parse(receipt.settled_at)} />
        </dd>
        <dt>Order</dt>
        <dd class="path">{receipt.order_id}</dd>
      </dl>
      <TokenLines terms={terms} tokens={tokens} />
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
            'Price × weighed tokens ÷ weighed reference mix: 0.9 cached, 0.1 not cached, 0.02 output. '}
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

/** The bid is the most that the order would have paid, the level what the market asked for when it began. */
function savedText({ bid_nano_usd: bid, level_nano_usd: level }: Claims, { pricing }: ChargedBy): string {
  if (pricing === 'fixed') return 'A model of fixed prices.';
  const prices = `You bid ${priceText(bid / 1e9)}, the level was ${priceText(level / 1e9)}`;
  const percent = bid > level ? Math.floor((100 * (bid - level)) / bid) : 0;
  return percent === 0 ? `${prices}.` : `${prices}, you saved ${percent} %.`;
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

function TokenLines({ terms, tokens }: { readonly terms: ChargedBy; readonly tokens: ByKind }) {
  const parts = terms.pricing === 'fixed' ? terms.prices : terms.ratio;
  return (
    <table class="tokens">
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col" class="number">
            Count
          </th>
          <th scope="col" class="number">
            {terms.pricing === 'fixed' ? 'USD per 1M' : 'Weight'}
          </th>
        </tr>
      </thead>
      <tbody>
        {KINDS.map(([kind, name]) => (
          <tr key={kind}>
            <th scope="row">{name}</th>
            <td class="number">{countWhole(tokens[kind])}</td>
            <td class="number">{terms.pricing === 'fixed' ? priceWholeText(parts[kind]) : countWhole(parts[kind])}</td>
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
