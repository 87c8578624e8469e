/**
 * The configuration as the parts of a gateway see it. Listings, facts of the catalog and limits are read anew by whoever
 * uses them, so that another file can change them while the gateway runs; all else is as it was at the start.
 */
import type { LimitSettings } from '#access/limits.ts';
import type { Config } from '#config/config.ts';
import { Listings } from '#market/listing.ts';

/** A configuration that changes. */
export class LiveConfig {
  /** For the parts; its listings, pods, catalogs and limits are always those in force. */
  readonly config: Config;
  readonly #limits: { -readonly [Name in keyof LimitSettings]: number };
  readonly #catalogs: Map<string, NonNullable<ReturnType<Config['catalogs']['get']>>>;
  #inForce: Config;

  constructor(config: Config) {
    this.#inForce = config;
    this.#limits = { ...config.limits };
    this.#catalogs = new Map(config.catalogs);
    const { all, default: standard } = config.listings;
    const listings = new Listings(all, standard.id);
    const inForce = () => this.#inForce;
    this.config = {
      ...config,
      ...{ listings, limits: this.#limits, catalogs: this.#catalogs },
      get pods() {
        return inForce().pods;
      },
      get logLevel() {
        return inForce().logLevel;
      },
    };
  }

  /** As it is now; this object never changes. */
  get inForce(): Config {
    return this.#inForce;
  }

  /** Puts another one in force, all of it in this moment. */
  take(next: Config): void {
    const { all, default: standard } = next.listings;
    this.config.listings.renew(all, standard.id);
    Object.assign(this.#limits, next.limits);
    this.#catalogs.clear();
    for (const [model, facts] of next.catalogs) this.#catalogs.set(model, facts);
    this.#inForce = next;
  }
}
