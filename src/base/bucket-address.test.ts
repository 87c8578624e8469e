/** Addresses of buckets, right and wrong. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isBucketUrl, parseBucketUrl } from './bucket-address.ts';

describe('the address of a bucket', () => {
  test('has a prefix that ends with a slash, and Amazon unless another service is named', () => {
    const amazon = { bucket: 'bodies', endpoint: null, region: null, pathStyle: false };
    assert.deepEqual(parseBucketUrl('s3://bodies', {}), { ...amazon, prefix: '' });
    assert.deepEqual(parseBucketUrl('s3://bodies/', {}), { ...amazon, prefix: '' });
    assert.deepEqual(parseBucketUrl('s3://bodies/a%20b/c', { AWS_REGION: 'eu-1' }), {
      ...amazon,
      prefix: 'a b/c/',
      region: 'eu-1',
    });
  });

  test('of another service has the bucket in the path and a region, unless it says otherwise', () => {
    const endpoint = 'http://127.0.0.1:9000';
    const other = { bucket: 'bodies', prefix: '', endpoint, region: 'us-east-1', pathStyle: true };
    assert.deepEqual(parseBucketUrl(`s3://bodies?endpoint=${endpoint}`, {}), other);
    assert.deepEqual(parseBucketUrl('s3://bodies', { AWS_ENDPOINT_URL: endpoint }), other);
    assert.deepEqual(parseBucketUrl(`s3://bodies?endpoint=${endpoint}&region=x&path_style=false`, {}), {
      ...other,
      region: 'x',
      pathStyle: false,
    });
  });

  for (const [text, why] of [
    ['s3://', /no bucket/],
    ['s3:bodies', /no bucket/],
    ['s3://Bo_dies', /no bucket/],
    ['s3://bodies:9000/x', /no bucket/],
    ['s3://key:secret@bodies', /holds credentials/],
    ['s3://bodies?end_point=http://x', /unknown setting "end_point"/],
    ['s3://bodies?endpoint=host:9000', /no http or https/],
    ['s3://bodies?path_style=yes', /neither true nor false/],
  ] as const) {
    test(`is refused when it is ${text}, without showing a secret`, () => {
      assert.equal(isBucketUrl(text), true);
      assert.throws(
        () => parseBucketUrl(text, {}),
        (error: Error) => why.test(error.message) && !error.message.includes('key:secret'),
      );
    });
  }
});
