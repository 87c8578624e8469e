/**
 * An S3-compatible server for tests: s3rver, in the process of the test, on a port of its own and in a folder of its
 * own. It checks every signature.
 */
import crypto from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { type BucketAddress, parseBucketUrl } from '#base/bucket-address.ts';

const BUCKET = 'bodies';
/** The only account of s3rver. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** A server with one empty bucket. */
export interface S3Server {
  /** As in SLUICE_DATA, with a prefix that nothing else uses. */
  readonly url: string;
  readonly address: BucketAddress;
  /** The keys of all objects, sorted. */
  keys(): Promise<string[]>;
  /** Sets when all objects were last modified. */
  modified(atMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server, and puts its credentials where the SDK finds them in this process. */
export async function startS3Server(): Promise<S3Server> {
  Object.assign(process.env, CREDENTIALS);
  const directory = await mkdtemp(join(tmpdir(), 'sluice-s3-'));
  Object.assign(crypto, { createCipheriv: cipherOfToday });
  const options = { address: '127.0.0.1', port: 0, silent: true, directory };
  const server = new S3rver({ ...options, configureBuckets: [{ name: BUCKET }] });
  server.middleware.unshift(keepSlash);
  const { port } = await server.run();
  const url = `s3://${BUCKET}/some/prefix?endpoint=http://127.0.0.1:${port}`;
  const objects = async (): Promise<string[]> => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => null);
    // A folder was deleted meanwhile.
    if (entries === null) return objects();
    return entries.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => path.endsWith('_object'));
  };
  return {
    url,
    address: parseBucketUrl(url, {}),
    async keys() {
      const start = join(directory, BUCKET).length + 1;
      return (await objects()).map((path) => path.slice(start).replace('._S3rver_object', '')).sort();
    },
    async modified(atMs) {
      for (const path of await objects()) await utimes(path, atMs / 1000, atMs / 1000);
    },
    async close() {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/**
 * The SDK asks for a list at `/bucket/` and signs that; s3rver 5 computes the signature of `/bucket`. A key that is empty
 * but counts as one keeps the slash.
 */
async function keepSlash(context: { readonly path: string }, next: () => Promise<void>): Promise<void> {
  if (/^\/[^/]+\/$/.test(context.path)) {
    let params = {};
    Object.defineProperty(context, 'params', {
      get: () => params,
      set: (value: object) => {
        params = { ...value, key: Object('') };
      },
    });
  }
  await next();
}

const { createCipheriv } = crypto;

/** s3rver enciphers the token of a next page by DES, which OpenSSL has no more; the gateway does not use that token. */
function cipherOfToday(name: string, key: Buffer, iv: Buffer): unknown {
  if (name !== 'des') return createCipheriv(name, key, iv);
  return createCipheriv('aes-128-cbc', Buffer.concat([key, key]), Buffer.concat([iv, iv]));
}
