/** Which models could serve a request now. A model is ready while a pod of it is healthy. Spec 4.9. */
import type { Listings } from '#market/listing.ts';

/** What uptime, statistics and the catalog ask. */
export interface ReadyView {
  /** Whether a pod of the model is healthy now. */
  ready(model: string): boolean;
  /** Whether no pod is, of a model that should have one: never on a preview. Null asks whether that is so for all. */
  degraded(model: string | null): boolean;
}

/** What the pods say of themselves. */
export interface PodHealth {
  counts(): readonly { readonly model: string; readonly healthy: boolean }[];
}

/** The view over `pods`; it looks each time it is asked. */
export function readyView(listings: Listings, pods: PodHealth): ReadyView {
  const ready = (model: string) => pods.counts().some((pod) => pod.model === model && pod.healthy);
  const degraded = (model: string) => !listings.find(model)?.preview && !ready(model);
  return {
    ready,
    degraded(model) {
      if (model !== null) return degraded(model);
      const served = listings.all.filter(({ preview, deprecated }) => !preview && !deprecated);
      return served.length > 0 && served.every(({ id }) => degraded(id));
    },
  };
}
