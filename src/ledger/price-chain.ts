/**
 * The public hash chains of a market's prices: one of its levels, one of its quotes. Each row has a SHA-256 of the hash
 * before it and of what it says, so that no earlier row can be changed without every hash after it. Prices
 * published before chains began are in no chain: a genesis names the number with which a chain starts. docs/decisions/0054.
 */
import { hash } from 'node:crypto';
import type { PriceNano } from '#base/money.ts';

/** The chains of a market. */
export const priceChains = ['levels', 'quotes'] as const;
export type PriceChain = (typeof priceChains)[number];

/** What a row of a chain says. `untilMs` is null for a level. */
export interface PublishedPrice {
  readonly number: number;
  readonly price: PriceNano;
  readonly atMs: number;
  readonly untilMs: number | null;
}

/** A row of a chain. `previous` is null when the row before it is no longer kept. */
export interface ChainedPrice extends PublishedPrice {
  readonly previous: string | null;
  readonly hash: string;
}

/** The hash of a level, computed from the hash of the level before; null for the first of its chain. */
export function levelHash(model: string, row: Omit<PublishedPrice, 'untilMs'>, previous: string | null): string {
  return rowHash('levels', model, { ...row, untilMs: null }, previous);
}

/** The same of a quote. */
export function quoteHash(model: string, row: PublishedPrice, previous: string | null): string {
  return rowHash('quotes', model, row, previous);
}

/** The same of either. */
export function rowHash(chain: PriceChain, model: string, row: PublishedPrice, previous: string | null): string {
  return linked(previous ?? genesisHash(chain, model, row.number), lineOf(model, row));
}

/** The hash before the first row of a chain; `first` is the number of that row. */
export function genesisHash(chain: PriceChain, model: string, first: number): string {
  return linked('', `genesis ${chain} ${first} ${model}`);
}

/**
 * The text of a row that is hashed, in UTF-8. The model comes last, so that no name of one can be read as anything
 * else.
 */
function lineOf(model: string, { number, price, atMs, untilMs }: PublishedPrice): string {
  if (untilMs === null) return `level ${number} ${price} ${atMs} ${model}`;
  return `quote ${number} ${price} ${atMs} ${untilMs} ${model}`;
}

function linked(previous: string, line: string): string {
  return hash('sha256', `${previous}\n${line}`, 'base64url');
}

/** Checks the rows of a chain one after the other. */
export class ChainCheck {
  readonly #chain: PriceChain;
  readonly #model: string;
  #last: ChainedPrice | null = null;

  constructor(chain: PriceChain, model: string) {
    this.#chain = chain;
    this.#model = model;
  }

  /** The last row; null before the first. */
  get last(): ChainedPrice | null {
    return this.#last;
  }

  /**
   * What is wrong with the next row, in a sentence; null when it follows. What the first row says is taken on trust when
   * the hash before it is not known.
   */
  add(row: ChainedPrice): string | null {
    const last = this.#last;
    this.#last = row;
    const name = `${row.untilMs === null ? 'Level' : 'Quote'} ${row.number}`;
    if (last && row.number !== last.number + 1) return `${name} comes after number ${last.number}: rows are missing.`;
    if (last && row.previous !== last.hash) return `${name} does not follow from the one before.`;
    if (row.previous !== null && rowHash(this.#chain, this.#model, row, row.previous) !== row.hash)
      return `${name} is not what was published: its hash does not fit.`;
    return null;
  }
}
