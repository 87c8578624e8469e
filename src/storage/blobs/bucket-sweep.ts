/**
 * What a start may delete of a bucket. Other gateways may be writing to the same bucket, and its content exists before
 * the row that owns it; so only what is a day old can have lost its owner. A bucket may hold millions of objects: a
 * start looks at some of them, from a random place on, so that each has its turn at some start.
 */
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import { DAY_MS } from '#base/time.ts';
import type { Sweepable } from './blob-store.ts';
import type { Bucket, BucketObject } from './bucket.ts';
import { SHARDS, shardAt } from './folders.ts';

const AGE_MS = DAY_MS;
const PAGES_MAX = 20;

/** The part of a bucket that is swept. */
export interface SweptPart {
  readonly bucket: Bucket;
  readonly folder: string;
  /** The owner of an object; null if it must not be swept. */
  readonly idOf: (key: string) => string | null;
  readonly delete: (id: string) => Promise<void>;
}

/** The old objects of `part`, by the ids that they belong to: at most 20,000 of them. */
export function sweepable(part: SweptPart, { clock, random }: { clock: Clock; random: Random }): Sweepable {
  return {
    delete: part.delete,
    async *list() {
      for await (const page of somePages(part, random)) {
        const old = page.filter(({ modifiedAtMs }) => modifiedAtMs <= clock.nowMs() - AGE_MS);
        const ids = new Set(old.map(({ key }) => part.idOf(key)).filter((id) => id !== null));
        if (ids.size > 0) yield [...ids];
      }
    },
  };
}

/** From a random folder to the last, then from the first; objects of the random folder may come twice. */
async function* somePages({ bucket, folder }: SweptPart, random: Random): AsyncGenerator<BucketObject[]> {
  let pages = 0;
  const from = `${folder}/${shardAt(Math.floor(random.next() * SHARDS))}`;
  for (const after of [from, undefined]) {
    for await (const page of bucket.list(`${folder}/`, after)) {
      yield page;
      if (++pages === PAGES_MAX) return;
      if (after === undefined && (page.at(-1)?.key ?? '') > from) return;
    }
  }
}
