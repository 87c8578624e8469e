/**
 * The inputs of waiting orders beside a bucket: those that another process may have to run are in the bucket, and those
 * that end with their caller are spilled to a folder of this machine, which is nearer and costs nothing.
 */
import type { BlobStore } from './blob-store.ts';

/**
 * Inputs by order id, each in its place. `keptIds`: the orders whose inputs an earlier process kept. It grows and shrinks
 * with those that are kept.
 */
export function splitInputs(
  kept: BlobStore,
  spilled: BlobStore,
  keptIds: Set<string>,
): Pick<BlobStore, 'putSafely' | 'putGently' | 'get' | 'delete'> {
  const placeOf = (orderId: string) => (keptIds.has(orderId) ? kept : spilled);
  return {
    async putSafely(orderId, bytes) {
      await kept.putSafely(orderId, bytes);
      keptIds.add(orderId);
    },
    putGently: (orderId, bytes) => spilled.putGently(orderId, bytes),
    get: (orderId) => placeOf(orderId).get(orderId),
    async delete(orderId) {
      await placeOf(orderId).delete(orderId);
      keptIds.delete(orderId);
    },
  };
}
