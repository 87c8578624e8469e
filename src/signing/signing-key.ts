/** Ed25519 keys: made, read from PEM, and shown as a JWK. RFC 8032, 8037, 7638. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

/** A key as it is stored. Keys are numbered from 1; the newest that has its private half signs. */
export interface StoredSigningKey {
  /** The thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  /** The public key, 32 bytes in base64url. */
  readonly publicKey: string;
  /** PKCS #8 in PEM; null for a key that only the environment of a gateway holds. */
  readonly privateKey: string | null;
  readonly createdAtMs: number;
}

/** A key on the wire, its public half alone. openapi.yaml#/components/schemas/SigningKey. */
export type PublicJwk = ReturnType<typeof publicJwk>;

/** A new key. */
export function newSigningKey(nowMs: number): StoredSigningKey & { readonly privateKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { ...publicHalf(privateKey), privateKey: pem, createdAtMs: nowMs };
}

/** The key in `pem`, PKCS #8; null when it holds no Ed25519 private key. */
export function signingKeyFrom(
  pem: string,
): { readonly key: KeyObject; readonly kid: string; readonly publicKey: string } | null {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return null;
  }
  return key.asymmetricKeyType === 'ed25519' ? { key, ...publicHalf(key) } : null;
}

/** The JWK of a stored key. */
export function publicJwk({ kid, publicKey }: Pick<StoredSigningKey, 'kid' | 'publicKey'>) {
  return { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid, use: 'sig', alg: 'EdDSA' };
}

function publicHalf(privateKey: KeyObject): { kid: string; publicKey: string } {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kid: hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url'), publicKey: x };
}
