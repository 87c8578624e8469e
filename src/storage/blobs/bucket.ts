/**
 * One bucket of an S3-compatible service, as whole objects under a prefix. This is the only importer of the SDK, which
 * costs a start about 100 ms: load this file only when a bucket is configured. The SDK repeats what
 * failed for a moment (SlowDown, a broken connection); every request, with its repeats, ends by a deadline.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { BucketAddress } from '#base/bucket-address.ts';
import type { Clock } from '#base/clock.ts';
import { BucketRefused } from './blob-store.ts';

/** A body may take longer than an empty request: this much more for each MiB. */
const MS_PER_MIB = 1000;
const MIB = 1024 * 1024;
/** S3 returns no more. */
const PAGE_MAX = 1000;

/** What a list says about an object. */
export interface BucketObject {
  /** Without the prefix of the bucket. */
  readonly key: string;
  readonly bytes: number;
  /** Last modified, by the clock of the service. */
  readonly modifiedAtMs: number;
}

/** The clock that times the requests. */
export interface BucketOptions {
  readonly clock: Clock;
  /** How long a request may take that carries no body. */
  readonly deadlineMs: number;
  /** How many objects one list request returns at most; 1000 by default. */
  readonly pageMax?: number;
}

/** Objects in the bucket of `address`. Every failure but a missing object is an Error of the SDK. */
export class Bucket {
  readonly #address: BucketAddress;
  readonly #options: BucketOptions;
  readonly #client: S3Client;

  /** Makes no request. Credentials come from where the tools of AWS find them. */
  constructor(address: BucketAddress, options: BucketOptions) {
    this.#address = address;
    this.#options = options;
    const { endpoint, region, pathStyle } = address;
    this.#client = new S3Client({
      ...(endpoint === null ? {} : { endpoint }),
      ...(region === null ? {} : { region }),
      forcePathStyle: pathStyle,
      // The newer checksums are refused by some services; the signature covers the body anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Resolves when the object is stored; it replaces an earlier one at once and whole. */
  async put(key: string, bytes: Uint8Array): Promise<void> {
    const command = new PutObjectCommand({ ...this.#named(key), Body: bytes, ContentLength: bytes.length });
    await this.#inTime((abortSignal) => this.#client.send(command, { abortSignal }), bytes.length);
  }

  /** The object, or its bytes from `start` to `end` (exclusive, above `start`); null when it does not exist. */
  async get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Uint8Array | null> {
    const Range = range && `bytes=${range.start}-${range.end - 1}`;
    const command = new GetObjectCommand({ ...this.#named(key), ...(Range ? { Range } : {}) });
    try {
      const bytes = await this.#inTime(
        async (abortSignal) => {
          const { Body } = await this.#client.send(command, { abortSignal });
          return (await Body?.transformToByteArray()) ?? new Uint8Array();
        },
        range ? range.end - range.start : BODY_BYTES_MAX,
      );
      return range ? bytes.subarray(0, range.end - range.start) : bytes;
    } catch (error) {
      if (nameOf(error) === 'NoSuchKey') return null;
      throw error;
    }
  }

  /** No effect when there is no such object. */
  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#named(key));
    await this.#inTime((abortSignal) => this.#client.send(command, { abortSignal }));
  }

  /** The objects whose keys begin with `start`, by key, page by page; only those behind the key `after`, if it is given. */
  async *list(start: string, after?: string): AsyncGenerator<BucketObject[]> {
    const { bucket, prefix } = this.#address;
    const wanted = { Bucket: bucket, Prefix: prefix + start, MaxKeys: this.#options.pageMax ?? PAGE_MAX };
    for (let last = after === undefined ? undefined : prefix + after; ; ) {
      const command = new ListObjectsV2Command({ ...wanted, ...(last === undefined ? {} : { StartAfter: last }) });
      const page = await this.#inTime((abortSignal) => this.#client.send(command, { abortSignal }));
      yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
        key: Key.slice(prefix.length),
        bytes: Size,
        modifiedAtMs: LastModified?.getTime() ?? Number.POSITIVE_INFINITY,
      }));
      last = page.Contents?.at(-1)?.Key;
      if (!page.IsTruncated || last === undefined) return;
    }
  }

  /** Writes, lists, reads and deletes one object. Rejects with BucketRefused, which names what is not possible. */
  async tryOut(name: string): Promise<void> {
    const key = `start/${name}`;
    const step = async (what: string, work: () => Promise<unknown>) => {
      await work().catch((cause) => {
        const { bucket } = this.#address;
        throw new BucketRefused(`The bucket ${bucket} of SLUICE_DATA cannot be ${what}: ${reasonOf(cause)}.`, {
          cause,
        });
      });
    };
    await step('written', () => this.put(key, Buffer.from('Written by a start of Sluice.')));
    await step('read', () => this.get(key));
    await step('listed', () => this.list(key).next());
    await step('deleted from', () => this.delete(key));
    // Without the right to list, a missing object is "forbidden" and not "missing".
    await step('read', () => this.get(key));
  }

  /** Closes the connections. */
  close(): void {
    this.#client.destroy();
  }

  #named(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + key };
  }

  async #inTime<Answer>(work: (abortSignal: AbortSignal) => Promise<Answer>, bodyBytes = 0): Promise<Answer> {
    const { clock, deadlineMs } = this.#options;
    const abort = new AbortController();
    const timer = clock.after(deadlineMs + (bodyBytes / MIB) * MS_PER_MIB, () => abort.abort());
    try {
      return await work(abort.signal);
    } finally {
      timer.cancel();
    }
  }
}

/** The largest result. */
const BODY_BYTES_MAX = 64 * MIB;

const REASONS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket; create it, or name another',
  AccessDenied: 'the credentials do not allow it; they need s3:GetObject, PutObject, DeleteObject and ListBucket',
  InvalidAccessKeyId: 'the service does not know AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'the service does not accept AWS_SECRET_ACCESS_KEY',
  CredentialsProviderError: 'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile',
  PermanentRedirect: 'it is in another region; set AWS_REGION',
  AuthorizationHeaderMalformed: 'it is in another region; set AWS_REGION',
  SlowDown: 'the service is overloaded; try again later',
  AbortError: 'the service does not answer',
  ECONNREFUSED: 'nothing listens at the endpoint',
  ENOTFOUND: 'the host of the endpoint is not known',
};

/** Why a request failed, as the part of a sentence that says what an operator must do. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.message === 'Region is missing') return 'there is no region; set AWS_REGION';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[nameOf(error)] ?? REASONS[code];
  return reason ?? (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
