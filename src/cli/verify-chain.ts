/**
 * `sluice verify --chain`: follows the hash chains of a market at a gateway, and compares what a signed receipt or head
 * says about them with what the gateway says now. What makes a chain good is in `ledger/price-chain.ts`.
 */
import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { ChainCheck, type ChainedPrice, type PriceChain, priceChains } from '#ledger/price-chain.ts';
import { NotVerified } from '#signing/verify.ts';
import { type CommandResult, good, wrong } from './output.ts';

const ROWS_PER_PAGE = 1000;

/** The market and the part of its chains that is followed. Times are inclusive. */
interface ChainStretch {
  /** The address of the gateway. */
  readonly url: string;
  /** Null for the default model. */
  readonly model: string | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One chain that was followed. */
interface Followed {
  readonly model: string;
  readonly chain: PriceChain;
  readonly rows: number;
  readonly first: ChainedPrice | null;
  readonly last: ChainedPrice | null;
  /** The first thing that is wrong; null for nothing. */
  readonly fault: string | null;
}

/** What a statement says about a row. */
export interface StatedRow {
  readonly model: string;
  readonly chain: PriceChain;
  readonly number: number;
  readonly hash: string;
}

/** Follows both chains; exits 1 at the first row that does not follow. Throws Unreadable. */
export async function verifyChains(stretch: ChainStretch): Promise<CommandResult> {
  const followed: Followed[] = [];
  for (const chain of priceChains) followed.push(await follow(chain, stretch));
  const ok = followed.every(({ fault }) => fault === null);
  const json = {
    ok,
    url: stretch.url,
    chains: followed.map(({ model, chain, rows, first, last, fault }) => ({
      model,
      chain,
      rows,
      from: first?.number ?? null,
      to: last?.number ?? null,
      hash: last?.hash ?? null,
      fault,
    })),
  };
  return { json, text: followed.map(sentenceOf).join('\n'), exitCode: ok ? 0 : 1 };
}

/**
 * How a gateway's ledger compares with a signed statement: it agrees, no longer has the row, or differs, and in what.
 */
export async function comparison(
  url: string,
  stated: StatedRow,
): Promise<'agrees' | 'gone' | { readonly fault: string }> {
  const { model, chain, number, hash } = stated;
  const page = await readPage(url, { model, chain, after: number - 1, limit: 1 });
  const row = page.rows[0];
  const noun = chain === 'levels' ? 'level' : 'quote';
  if (row?.number !== number) {
    const oldest = (await readPage(url, { model, chain, after: 0, limit: 1 })).rows[0];
    return oldest && oldest.number <= number
      ? { fault: `The ledger of ${model} has no ${noun} ${number}, which was signed.` }
      : 'gone';
  }
  return row.hash === hash
    ? 'agrees'
    : { fault: `The ledger of ${model} was rewritten: ${noun} ${number} had another hash when it was signed.` };
}

async function follow(chain: PriceChain, { url, model: wanted, fromMs, toMs }: ChainStretch): Promise<Followed> {
  const from = new Date(fromMs).toISOString();
  let check: ChainCheck | null = null;
  let first: ChainedPrice | null = null;
  let rows = 0;
  for (let after: number | null = null; ; ) {
    const page = await readPage(url, {
      chain,
      limit: ROWS_PER_PAGE,
      ...(wanted === null ? {} : { model: wanted }),
      ...(after === null ? { from } : { after }),
    });
    check ??= new ChainCheck(chain, page.model);
    for (const row of page.rows) {
      if (row.atMs > toMs) return { model: page.model, chain, rows, first, last: check.last, fault: null };
      const fault = check.add(row);
      first ??= row;
      rows++;
      if (fault) return { model: page.model, chain, rows, first, last: row, fault };
    }
    const last = page.rows.at(-1);
    if (page.hasMore && !last) {
      const fault = `rows after ${after ?? 'the first'} are kept, and have no hash: they were taken out of the chain.`;
      return { model: page.model, chain, rows, first, last: check.last, fault };
    }
    if (!page.hasMore || !last) return { model: page.model, chain, rows, first, last: check.last, fault: null };
    after = last.number;
  }
}

function sentenceOf({ model, chain, rows, first, last, fault }: Followed): string {
  if (fault) return wrong(`${model}, ${chain}: ${fault}`);
  if (!first || !last) return `${model}, ${chain}: there is nothing in this time.`;
  const span = `${first.number} (${new Date(first.atMs).toISOString()}) to ${last.number} (${new Date(last.atMs).toISOString()})`;
  return `${good(`${model}, ${chain}: ${rows} rows follow from each other`)}, ${span}.\n  ${last.hash}`;
}

async function readPage(url: string, query: Readonly<Record<string, string | number>>) {
  const address = new URL('/v1/market/ledger', url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  const json: unknown = parsed(await readSource(address.href));
  if (!isPage(json)) throw new NotVerified(`${address.origin} has no ledger that can be read.`);
  const rows = json.data.map((row) => ({
    number: Number(row.number),
    price: Number(row.price_nano_usd),
    atMs: Number(row.at_ms),
    untilMs: row.until_ms === null ? null : Number(row.until_ms),
    previous: typeof row.previous === 'string' ? row.previous : null,
    hash: String(row.hash),
  }));
  return { model: json.model, rows, hasMore: json.has_more };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isPage(json: unknown): json is { model: string; has_more: boolean; data: Record<string, unknown>[] } {
  if (typeof json !== 'object' || json === null) return false;
  const { model, has_more, data } = json as Record<string, unknown>;
  return (
    typeof model === 'string' &&
    typeof has_more === 'boolean' &&
    Array.isArray(data) &&
    data.every((row) => typeof row === 'object' && row !== null)
  );
}

/** How long an answer may take. */
const ANSWER_MS = 10_000;

/** What could not be read; the message is a sentence. */
export class Unreadable extends Error {}

/** The text of a file, of standard input for `-`, or at an address. Throws Unreadable. */
export async function readSource(source: string): Promise<string> {
  if (source === '-') return readStream(process.stdin);
  if (/^https?:\/\//.test(source)) return readAddress(source);
  try {
    return await readFile(source, 'utf8');
  } catch (error) {
    throw new Unreadable(`${source} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function readAddress(url: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch {
    throw new Unreadable(`${url} cannot be reached.`);
  }
  if (!response.ok) throw new Unreadable(`${url} answered ${response.status}${sentenceIn(await response.text())}.`);
  return response.text();
}

/** The sentence in the body of a gateway's refusal. */
function sentenceIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === 'string' ? `: ${error.message.replace(/\.$/, '')}` : '';
  } catch {
    return '';
  }
}
