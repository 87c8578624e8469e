/**
 * The market as an HTML table: what `/` shows to a reader without JavaScript, and to everybody until the script of the
 * page runs. Names come from the configuration, so everything is escaped.
 */
import type { Clock } from '#base/clock.ts';
import { formatPrice, formatUsd } from '#base/money.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { ReadyView } from '#observe/probe.ts';

interface MarketPageOptions {
  readonly listings: Listings;
  readonly market: Pick<MarketView, 'current'>;
  readonly ready: Pick<ReadyView, 'degraded'>;
  readonly clock: Clock;
  /** Whether the gateway has pages for signed-in people; this page then links to them. */
  readonly members: boolean;
}

/** The table is made at most once in this time, for all readers. */
const KEPT_MS = 1000;

/** Returns the market as it is now, or was a second ago. */
export function marketPage({ listings, market, ready, clock, members }: MarketPageOptions): () => string {
  let made = { atMs: Number.NEGATIVE_INFINITY, html: '' };
  const rowOf = (listing: Listing) => {
    const level = market.current(listing.id)?.level ?? null;
    return row(listing, level, ready.degraded(listing.id));
  };
  return () => {
    const nowMs = clock.nowMs();
    if (nowMs - made.atMs >= KEPT_MS || nowMs < made.atMs)
      made = { atMs: nowMs, html: page(listings.all.map(rowOf).join('\n'), members) };
    return made.html;
  };
}

function page(rows: string, members: boolean): string {
  const account = members ? ' <a class="tab" href="/settings">Your account</a>' : '';
  return `<div class="frame">
<header class="top"><a class="brand" href="/">Sluice</a><nav class="tabs" aria-label="Pages"><a class="tab" href="/" aria-current="page">Market</a> <a class="tab" href="/docs">Documentation</a>${account}</nav></header>
<main>
<h1>Market</h1>
<p class="faint">Language models at a price that demand sets: name your limit, pay the level, never more. Prices in USD per 1M tokens.</p>
<div class="scroll" role="region" aria-label="Models" tabindex="0"><table>
<thead><tr><th scope="col">Model</th><th scope="col">Kind</th><th scope="col" class="number">Level</th><th scope="col" class="number">Input</th><th scope="col" class="number">Cached input</th><th scope="col" class="number">Output</th></tr></thead>
<tbody>
${rows}
</tbody>
</table></div>
<noscript><p class="faint">This is the market when the page was loaded. With JavaScript it follows the market, with charts.</p></noscript>
</main>
</div>`;
}

function row(listing: Listing, level: number | null, degraded: boolean): string {
  const prices = tokenPrices(listing.tariff, level ?? 0);
  const id = listing.displayName === listing.id ? '' : `<span class="id">${escaped(listing.id)}</span>`;
  const unsold = listing.preview ? '<span class="id">Not sold yet, prices are simulated</span>' : '';
  return [
    `<tr><th scope="row">${escaped(listing.displayName)}${badges(listing, degraded)}${id}${unsold}</th>`,
    `<td>${listing.type}</td>`,
    `<td class="number">${level === null ? 'fixed' : amount(formatPrice(level))}</td>`,
    ...[prices.uncached, prices.cached, prices.output].map(
      (price) => `<td class="number">${amount(formatUsd(price))}</td>`,
    ),
    '</tr>',
  ].join('');
}

function badges({ preview, deprecated }: Listing, degraded: boolean): string {
  const words = [preview && 'preview', deprecated && 'deprecated', degraded && 'degraded'].filter((word) => word);
  return words.map((word) => ` <span class="badge badge-${word}">${word}</span>`).join('');
}

/** Four significant digits, and the whole figure on hover. `text` is a decimal. */
function amount(text: string): string {
  const short = String(Number(Number(text).toPrecision(4)));
  return `<span title="$${text}">$${short}</span>`;
}

/** Text as HTML that shows exactly this text, also in an attribute. */
function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character).replaceAll("'", '&#39;');
}
