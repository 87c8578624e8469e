/** Receipts of the TypeScript layer, verified without a gateway. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { OrderReceipt, ReceiptError, SluiceError } from '@sluice/client';

const ID = '01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f';

describe('a receipt', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const keys = {
    issuer: 'https://sluice.example',
    keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'k1', use: 'sig', alg: 'EdDSA' }],
  };
  // The receipt that docs/buy/receipts.md computes.
  const claims = {
    ...{ iss: keys.issuer, order_id: ID, tariff: 'market:100:1000:4000', level_nano_usd: 10_000_000 },
    ...{ prompt_tokens: 17, cached_tokens: 0, output_tokens: 42, charged_nano_usd: 6852, written_off_nano_usd: 0 },
  };
  const signed = (changes: object, typ = 'sluice-receipt+jws') => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'EdDSA', typ, kid: 'k1' })}.${part({ ...claims, ...changes })}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
  };

  it('is verified by its signature and its arithmetic', async () => {
    const receipt = new OrderReceipt(signed({}), keys);
    await receipt.verify();
    assert.equal(receipt.charged, '0.000006852');
    await new OrderReceipt(signed({ tariff: 'fixed:100:1000:4000', charged_nano_usd: 0 }), keys).verify();
  });

  it('is wrong after any change', async () => {
    const [header, , signature] = signed({}).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, charged_nano_usd: 1 })).toString('base64url');
    const wrong: readonly [string, RegExp][] = [
      [`${header}.${payload}.${signature}`, /signature/],
      [signed({ charged_nano_usd: 6853 }), /cost 6852/],
      [signed({ iss: 'https://other.example' }), /keys are of/],
      [signed({ tariff: 'barter' }), /tariff/],
      [signed({}, 'JWT'), /not a signed receipt/],
    ];
    for (const [jws, why] of wrong)
      await assert.rejects(
        new OrderReceipt(jws, keys).verify(),
        (error) => error instanceof ReceiptError && why.test(error.message),
      );
    for (const text of ['', 'a.b', 'a.b.c', 'a.b.c.d']) assert.throws(() => new OrderReceipt(text, keys), ReceiptError);
    const unsigned = signed({}).replace(/[^.]*$/, '*');
    await assert.rejects(
      new OrderReceipt(unsigned, keys).verify(),
      (error) => error instanceof SluiceError && error instanceof ReceiptError && error.charged === null,
    );
  });
});
