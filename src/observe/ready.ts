/**
 * Which models are offered, and which can be served now. A model that has never answered is neither ready nor down: its
 * pods may still be loading, or their address may be wrong. From its first answer on it is measured, and if all its
 * pods are down it is still probed, and fails. Spec 4.9.
 */
import type { Listing, Listings } from '#market/listing.ts';

/** Used by probes, uptime, statistics and the catalog. */
export type ReadyView = ReturnType<typeof readyView>;

/** What the view combines. */
interface ReadyOptions {
  readonly listings: Listings;
  readonly pods: {
    counts(): readonly { readonly model: string; readonly healthy: boolean }[];
    /** Whether a pod of the model has completed an answer. */
    answered(model: string): boolean;
  };
  /** The models that answered before this process started. */
  readonly answeredBefore: ReadonlySet<string>;
  /** Whether models are probed. */
  readonly probing: boolean;
}

/** A view that is computed on each call. */
export function readyView({ listings, pods, answeredBefore, probing }: ReadyOptions) {
  const onSale = () => listings.all.filter(({ preview, deprecated }) => !preview && !deprecated);
  const healthyModels = () => new Set(pods.counts().flatMap(({ model, healthy }) => (healthy ? [model] : [])));
  const answered = (model: string) => answeredBefore.has(model) || pods.answered(model);
  const probed = (): readonly Listing[] => {
    const [models, healthy] = [new Set(pods.counts().map(({ model }) => model)), healthyModels()];
    return onSale().filter(({ id }) => models.has(id) && (answered(id) || healthy.has(id)));
  };
  return {
    /**
     * The models to offer, in the configured order: on sale, with pods, and they have answered. Where nothing is probed,
     * a healthy pod is enough, because the first request is a customer's.
     */
    ready: (): readonly Listing[] => (probing ? probed().filter(({ id }) => answered(id)) : probed()),
    /** The models to probe: those that have answered, and those that may now because a pod is healthy. */
    probed,
    /** Whether the model has ever completed an answer, before this process or in it. Only then do its probes count. */
    answered,
    /** Whether the model has no healthy pod now; never true for a preview. Null: whether this holds for all on sale. */
    degraded(model: string | null): boolean {
      const healthy = healthyModels();
      if (model !== null) return !listings.find(model)?.preview && !healthy.has(model);
      const models = onSale();
      return models.length > 0 && models.every(({ id }) => !healthy.has(id));
    },
  };
}
