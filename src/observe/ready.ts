/**
 * Which models should be served, and which can be now. A model is ready when it takes requests and has pods, healthy or
 * not: if all its pods are down it is still probed, and fails. Spec 4.9.
 */
import type { Listing, Listings } from '#market/listing.ts';

/** Used by uptime, statistics and the catalog. */
export interface ReadyView {
  /** The models to probe, in the configured order: on sale and with pods. */
  ready(): readonly Listing[];
  /**
   * Whether the model has no healthy pod now; never true for a preview. Null: whether this holds for all models on
   * sale.
   */
  degraded(model: string | null): boolean;
}

/** The current health of the pods. */
export interface PodReadiness {
  counts(): readonly { readonly model: string; readonly healthy: boolean }[];
}

/** A view of `pods` that is computed on each call. */
export function readyView(listings: Listings, pods: PodReadiness): ReadyView {
  const onSale = listings.all.filter(({ preview, deprecated }) => !preview && !deprecated);
  const healthyModels = () => new Set(pods.counts().flatMap(({ model, healthy }) => (healthy ? [model] : [])));
  return {
    ready() {
      const models = new Set(pods.counts().map(({ model }) => model));
      return onSale.filter(({ id }) => models.has(id));
    },
    degraded(model) {
      const healthy = healthyModels();
      if (model !== null) return !listings.find(model)?.preview && !healthy.has(model);
      return onSale.length > 0 && onSale.every(({ id }) => !healthy.has(id));
    },
  };
}
