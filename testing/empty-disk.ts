/** A disk with room for everything. */
import type { DiskRoom } from '#base/disk-space.ts';

/** A new one; a test may change what it says. */
export function emptyDisk(): { -readonly [Key in keyof DiskRoom]: DiskRoom[Key] } {
  return { low: false, availableBytes: Number.POSITIVE_INFINITY, isOver: () => false, willWrite() {} };
}
