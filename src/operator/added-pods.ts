/**
 * Pods that operators added while gateways ran: rows of the database, beside those of the file, which stays the operator's.
 * Every gateway reads them at its start. A row whose id, or whose address and model, the file has too is not used: the pod
 * of the file is.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '#access/member.ts';
import { LoggedStore } from '#accounts/change-log.ts';
import { type Fault, invalidRequest } from '#base/fault.ts';
import type { Listings } from '#market/listing.ts';
import type { PodConfig } from '#pods/pod.ts';
import { codec } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { json, text, textOrNull } from '#storage/database/values.ts';

const PODS_MAX = 1_000;

/** A pod as it is stored: what its model gives it is not. */
export type AddedPod = Omit<PodConfig, 'contextLength' | 'answerBytesMax'>;

const { from, some } = codec<{
  readonly id: string;
  readonly settings: Omit<AddedPod, 'id' | 'apiKey'>;
  readonly apiKey: string | null;
}>({ id: text, settings: json(), apiKey: textOrNull });

/** All that are stored, by their ids. */
export async function readAddedPods({ knex }: Pick<Database, 'knex'>): Promise<AddedPod[]> {
  const rows = await knex('added_pods').orderBy('id');
  return rows.map(from).map(({ id, apiKey, settings }) => ({ ...settings, id, apiKey }));
}

/** Those of `added` that are used beside the pods of the file, as they run for their models. */
export function usedBeside(
  { listings, pods }: { readonly listings: Listings; readonly pods: readonly PodConfig[] },
  added: readonly AddedPod[],
): PodConfig[] {
  return added.flatMap((pod) => {
    const listing = listings.find(pod.model);
    if (!listing || clashOf(pod, pods) !== null) return [];
    return [withModel(pod, listing)];
  });
}

/** The pod with what its model gives it. */
export function withModel(
  pod: AddedPod,
  { contextLength, answerBytesMax }: Pick<PodConfig, 'contextLength' | 'answerBytesMax'>,
): PodConfig {
  return { ...pod, contextLength, answerBytesMax };
}

/** Why a pod cannot be beside `others`, as a Fault; null if it can. */
export function clashOf(pod: AddedPod, others: readonly AddedPod[]): Fault | null {
  if (others.some(({ id }) => id === pod.id))
    return invalidRequest('pod', `There is a pod ${pod.id} already; give this one another id.`);
  const same = others.find(({ url, upstreamModel }) => url === pod.url && upstreamModel === pod.upstreamModel);
  if (!same) return null;
  const what = `The pod ${same.id} is ${pod.upstreamModel} at ${pod.url} already`;
  return invalidRequest('address', `${what}; change its slots, or correct address or served_model.`);
}

/** Adds and removes them. */
export class AddedPods extends LoggedStore {
  /**
   * Stores a pod; false where the same one is stored already. Throws Fault invalid_request where another has its id or its
   * address and model, or where there are too many.
   */
  add(pod: AddedPod, by: Actor): Promise<boolean> {
    return writing(this.parts.db, async (trx) => {
      await takeTurn(trx, 'pods');
      const stored = await readAddedPods({ knex: trx });
      if (stored.some((other) => isDeepStrictEqual(other, pod))) return false;
      const clash = clashOf(pod, stored);
      if (clash) throw clash;
      if (stored.length >= PODS_MAX) throw invalidRequest(null, `There are ${PODS_MAX} added pods; remove one first.`);
      const { id, apiKey, ...settings } = pod;
      await trx('added_pods').insert(some({ id, apiKey, settings }));
      await this.changes.log(trx, by, { what: 'pod.add', subject: id, before: null, after: shown(pod) });
      return true;
    });
  }

  /** Deletes the row of a pod; false where there is none. */
  remove(id: string, by: Actor): Promise<boolean> {
    return writing(this.parts.db, async (trx) => {
      await takeTurn(trx, 'pods');
      const before = (await readAddedPods({ knex: trx })).find((pod) => pod.id === id);
      if (!before) return false;
      await trx('added_pods').where({ id }).delete();
      await this.changes.log(trx, by, { what: 'pod.remove', subject: id, before: shown(before), after: null });
      return true;
    });
  }
}

/** What the log says of a pod: never its key. */
function shown({ model, url, upstreamModel, slots, slotsMin, apiKey }: AddedPod): object {
  const key = apiKey === null ? null : 'set';
  return { model, address: url, served_model: upstreamModel, slots, slots_min: slotsMin, api_key: key };
}
