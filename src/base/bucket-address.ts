/** Where a bucket is: `s3://bucket/prefix`, with the settings of the service that keeps it as a query. */

/** One bucket of an S3-compatible service, and the part of it that belongs to one gateway's database. */
export interface BucketAddress {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** An http or https URL; null for Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  /** Null for the region in the profile of the credentials. */
  readonly region: string | null;
  /** Whether the bucket is a part of the path, and not of the host. */
  readonly pathStyle: boolean;
}

const SETTINGS = ['endpoint', 'region', 'path_style'];
const FIX = 'make it s3://bucket/prefix, with ?endpoint=https://host&region=name&path_style=true as needed';

/** Whether `text` names a bucket and not a folder. */
export function isBucketUrl(text: string): boolean {
  return /^s3:/i.test(text);
}

/**
 * The address in `text`; what it leaves out comes from AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and
 * AWS_DEFAULT_REGION. Throws an Error whose message says what is wrong, and never repeats `text`: it may hold a password.
 */
export function parseBucketUrl(text: string, environment: Readonly<Record<string, string | undefined>>): BucketAddress {
  const url = URL.parse(text);
  if (!url || !/^[a-z0-9][a-z0-9.-]{1,62}$/.test(url.hostname) || url.port) throw new Error(`names no bucket; ${FIX}`);
  if (url.username || url.password)
    throw new Error('holds credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  const unknown = [...url.searchParams.keys()].find((key) => !SETTINGS.includes(key));
  if (unknown !== undefined) throw new Error(`has an unknown setting ${JSON.stringify(unknown)}; ${FIX}`);
  const setting = (key: string) => url.searchParams.get(key) || null;
  const endpoint = setting('endpoint') ?? (environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL || null);
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new Error(`has an endpoint that is no http or https address; ${FIX}`);
  const pathStyle = setting('path_style') ?? String(endpoint !== null);
  if (!['true', 'false'].includes(pathStyle)) throw new Error('has a path_style that is neither true nor false');
  const names = decodeURIComponent(url.pathname).split('/').filter(Boolean);
  return {
    bucket: url.hostname,
    prefix: names.map((name) => `${name}/`).join(''),
    endpoint,
    region:
      setting('region') ??
      (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || (endpoint === null ? null : 'us-east-1')),
    pathStyle: pathStyle === 'true',
  };
}
