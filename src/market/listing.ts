/**
 * A listing is a model on sale: its pricing, its names and what it can do. A listing never changes: an order keeps the one
 * it was submitted to. Another configuration makes other listings, which are found from then on.
 */
import { Fault } from '#base/fault.ts';
import type { PriceNano } from '#base/money.ts';
import type { Tariff } from '#ledger/tariff.ts';

/** What a part of a message can hold besides text. */
export type MediaKind = 'image' | 'audio' | 'video' | 'file';

/** One model on sale. Lengths are in tokens. */
export interface Listing {
  readonly id: string;
  readonly type: 'market' | 'fixed';
  readonly displayName: string;
  readonly ownedBy: string;
  readonly createdAtS: number;
  readonly aliases: readonly string[];
  readonly contextLength: number;
  readonly outputLengthMax: number;
  /** The largest answer of a pod, in bytes: text, reasoning, tool calls, and logprobs as JSON. */
  readonly answerBytesMax: number;
  /** How a level is divided (market) or the three prices (fixed), with the id under which orders store it. */
  readonly tariff: Tariff;
  /** Bounds of the published level; both 0 on a fixed-price listing. */
  readonly floor: PriceNano;
  readonly ceiling: PriceNano;
  /** The lowest bid that runs, at most the ceiling. Level and quote are never below it. 0 on a fixed-price listing. */
  readonly reserve: PriceNano;
  readonly preview: boolean;
  readonly deprecated: boolean;
  /** When it stops taking requests, as announced; absent when nothing is. */
  readonly sunsetAtS?: number;
  /** The largest share of slots that one account may hold while others wait, 0 to 1; null for no bound. */
  readonly accountShareMax: number | null;
  /** The values of Messages `output_config.effort` that are forwarded. */
  readonly reasoningEfforts: readonly string[];
  /** The worst-case prompt tokens of one part of each kind. */
  readonly mediaTokens: Readonly<Record<MediaKind, number>>;
  /** The share of a prompt that counts as cached where a pod reports no tokens, 0 to 1. */
  readonly estimatedCachedShare: number;
  /** Whether images of Messages are forwarded; those of the other shapes always are. */
  readonly acceptsImages: boolean;
  /** How custom tools of Responses are treated. Their input is one text. */
  readonly customTools: 'drop' | 'as_functions';
}

/** The highest ceiling that a listing can have: 10⁶ USD. */
export const CEILING_MAX: PriceNano = 1e15;

/** The part of a listing that an exchange needs. */
export type MarketTerms = Pick<
  Listing,
  'id' | 'type' | 'floor' | 'ceiling' | 'reserve' | 'preview' | 'accountShareMax'
>;

/** The part of a listing that an exchange needs, and no more of it. */
export function marketTerms(listing: MarketTerms): MarketTerms {
  const { id, type, floor, ceiling, reserve, preview, accountShareMax } = listing;
  return { id, type, floor, ceiling, reserve, preview, accountShareMax };
}

/** What gateways must agree on to trade in a market together. All else is decided by the file of its owner. */
export type MarketKind = Listing['type'] | 'preview';

/** The kind of a market; a preview takes no orders. */
export function marketKind({ type, preview }: Pick<Listing, 'type' | 'preview'>): MarketKind {
  return preview ? 'preview' : type;
}

/** The bounds of a price. */
export type PriceBounds = Pick<Listing, 'floor' | 'ceiling'>;

/** The lowest level and quote of a listing. */
export function lowestLevel({ floor, reserve }: Pick<Listing, 'floor' | 'reserve'>): PriceNano {
  return Math.max(floor, reserve);
}

/** What is on sale at one moment. */
type Catalogue = ReturnType<typeof catalogueOf>;

/** Every listing, by id and alias. Ask again each time: `renew` may have replaced them. */
export class Listings {
  #current: Catalogue;

  /** Throws Error when two listings share a name or the default is not among them. */
  constructor(all: readonly Listing[], defaultModel: string) {
    this.#current = catalogueOf(all, defaultModel);
  }

  /** In the configured order; another list whenever anything has changed. */
  get all(): readonly Listing[] {
    return this.#current.all;
  }

  get default(): Listing {
    return this.#current.default;
  }

  /** Sells these from now on. Throws like the constructor, and then nothing has changed. */
  renew(all: readonly Listing[], defaultModel: string): void {
    this.#current = catalogueOf(all, defaultModel);
  }

  /** The listing with this id or alias; null when there is none. */
  find(name: string): Listing | null {
    return this.#current.byName.get(name) ?? null;
  }

  /** The names of models that take custom tools as functions; null among them where the default model does. */
  get customToolModels(): ReadonlySet<string | null> {
    return this.#current.customToolModels;
  }

  /** The listing that a parameter of a query names; null when it names none. Throws unknown_model. */
  named(name: string | null): Listing | null {
    const listing = name === null ? null : this.find(name);
    if (name !== null && !listing) throw new Fault('unknown_model', { param: 'model' });
    return listing;
  }

  /** The listing that a request for inference runs on. Throws model_not_found, model_deprecated or model_preview. */
  forInference(name: string | null | undefined): Listing {
    const listing = name == null ? this.default : this.find(name);
    if (!listing)
      throw new Fault('model_not_found', {
        param: 'model',
        message: `No model ${JSON.stringify(name)} is served here. GET /v1/models lists them.`,
      });
    if (listing.deprecated) throw new Fault('model_deprecated', { param: 'model' });
    if (listing.preview) throw new Fault('model_preview', { param: 'model' });
    return listing;
  }

  /** The market listing behind `?model=`. Throws unknown_model or fixed_price_model. Spec 4.9. */
  forMarket(name: string | null | undefined): Listing {
    const listing = this.named(name ?? null) ?? this.default;
    if (listing.type === 'fixed') throw new Fault('fixed_price_model', { param: 'model' });
    return listing;
  }
}

function catalogueOf(all: readonly Listing[], defaultModel: string) {
  const byName = new Map<string, Listing>();
  for (const listing of all) {
    for (const name of [listing.id, ...listing.aliases]) {
      if (byName.has(name)) throw new Error(`Two models have the name or alias ${name}. Every name must be unique.`);
      byName.set(name, listing);
    }
  }
  const chosen = byName.get(defaultModel);
  if (!chosen) throw new Error(`default_model ${defaultModel} is not one of the configured models.`);
  const taking = [null, ...byName.keys()].filter((name) => {
    const listing = name === null ? chosen : byName.get(name);
    return listing?.customTools === 'as_functions';
  });
  return { all, default: chosen, byName, customToolModels: new Set(taking) };
}
