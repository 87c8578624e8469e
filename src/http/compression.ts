/**
 * Compresses replies to GET whose body is one piece, such as lists and charts. Streams, files and answers to POST are
 * sent as they are. zlib works in a thread of its own, so the event loop goes on; one reply at a time, because that
 * thread takes a processor from it.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Semaphore } from '#base/semaphore.ts';

/** A smaller body arrives about as early when it is sent as it is. */
export const COMPRESSED_BYTES_MIN = 8 * 1024;
/** When as many bodies wait, further ones are sent as they are. */
export const COMPRESSIONS_WAITING_MAX = 16;

/** zlib comes back to the event loop after each piece of this size. */
const chunkSize = 64 * 1024;
const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/**
 * The fast levels: a chart of 100 kB becomes 17 and 14 kB in 0.4 ms. At zlib's default levels the body becomes 16 kB in
 * 0.8 ms, or 11 kB in 85 ms.
 */
const codings = {
  gzip: (body: string | Uint8Array) => toGzip(body, { level: 1, chunkSize }),
  br: (body: string | Uint8Array) => toBrotli(body, { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
};
type Coding = keyof typeof codings;

/** A request that says which codings its caller prefers; of equals, the one named first wins. */
interface Reader {
  acceptsEncodings(...codings: string[]): string | false;
}

/** Compresses the bodies of one server. */
export class Compressor {
  readonly #oneAtATime = new Semaphore(1);
  /** What bodies that go out again have become, for as long as somebody keeps them. */
  readonly #kept = new WeakMap<Uint8Array, Map<Coding, Promise<Uint8Array>>>();
  #begun = 0;

  /**
   * The body in the coding that the caller prefers; null when it is to be sent as it is: it is small, the caller takes
   * no other coding, or too many wait. A caller that refuses `identity` gets small bodies compressed too. A `shared` body
   * is compressed once for each coding.
   */
  async compress(request: Reader, body: string | Uint8Array, shared = false) {
    const coding = acceptedCoding(request);
    if (!coding) return null;
    if (body.length < COMPRESSED_BYTES_MIN && request.acceptsEncodings('identity')) return null;
    const kept = shared && typeof body !== 'string' ? this.#keptOf(body) : null;
    const known = kept?.get(coding);
    if (known) return { coding, bytes: await known };
    if (this.#begun > COMPRESSIONS_WAITING_MAX) return null;
    const compressing = this.#compress(coding, body);
    kept?.set(coding, compressing);
    return { coding, bytes: await compressing };
  }

  async #compress(coding: Coding, body: string | Uint8Array): Promise<Uint8Array> {
    this.#begun++;
    try {
      return await this.#oneAtATime.run(() => codings[coding](body));
    } finally {
      this.#begun--;
    }
  }

  #keptOf(body: Uint8Array): Map<Coding, Promise<Uint8Array>> {
    let kept = this.#kept.get(body);
    if (!kept) {
      kept = new Map();
      this.#kept.set(body, kept);
    }
    return kept;
  }
}

/** Null when the caller prefers the body as it is, or refuses everything. */
function acceptedCoding(request: Reader): Coding | null {
  const best = request.acceptsEncodings('gzip', 'br', 'identity');
  return best === 'gzip' || best === 'br' ? best : null;
}
