/**
 * Frees the memory of large buffers at once. The collector counts them as memory outside the heap: each 64 MiB of them
 * start a full collection, which stops the thread for some ten milliseconds although the heap itself is small.
 */

/**
 * Frees bytes that nothing reads any more, not even a pending write; the array is empty afterwards. No effect on bytes
 * that share their buffer, as small ones do.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
