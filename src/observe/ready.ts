/**
 * Which models should serve, and which could now. A model is ready when it takes requests and has pods, healthy or not:
 * one whose pods are all down is still probed, and fails. Spec 4.9.
 */
import type { Listing, Listings } from '#market/listing.ts';

/** What uptime, statistics and the catalog ask. */
export interface ReadyView {
  /** The models that are probed, in the configured order: on sale, and with pods. */
  ready(): readonly Listing[];
  /**
   * Whether no pod of the model is healthy now; never on a preview. Null asks whether that is so for every model on
   * sale.
   */
  degraded(model: string | null): boolean;
}

/** What the pods say of themselves. */
export interface PodHealth {
  counts(): readonly { readonly model: string; readonly healthy: boolean }[];
}

/** The view over `pods`; it looks each time it is asked. */
export function readyView(listings: Listings, pods: PodHealth): ReadyView {
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
