/**
 * Frees the memory of large buffers at once. The collector counts them as memory outside the heap: each 64 MiB of them
 * start a full collection, which stops the thread for some ten milliseconds although the heap itself is small.
 */

/** Empties bytes that nobody reads or writes any more. No effect on those that share a buffer, as small ones do. */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
