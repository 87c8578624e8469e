/**
 * Signs what a gateway states, when somebody asks for it: a JWS with EdDSA over Ed25519. All gateways of a database share
 * its keys; one that has a key in its environment signs with that. The first key is made when it is first needed, and
 * gives the issuer its name, which never changes. docs/decisions/0054-signed-receipts.md.
 */
import type { Clock } from '#base/clock.ts';
import type { SigningKeyStore } from './key-store.ts';
import { newSigningKey, type PublicJwk, publicJwk, type StoredSigningKey, signingKeyFrom } from './signing-key.ts';

/** What a JWS is about, as its header says. A statement of one kind is never taken for another. */
export const statementTypes = {
  receipt: 'sluice-receipt+jws',
  head: 'sluice-ledger-head+jws',
} as const;
export type StatementType = keyof typeof statementTypes;

/** The public keys on the wire. openapi.yaml#/components/schemas/SigningKeys. */
export interface KeySet {
  readonly issuer: string;
  /** The newest first. */
  readonly keys: readonly PublicJwk[];
}

/** A statement, and the JWS that proves it. */
export interface Signed<Claims> {
  readonly jws: string;
  readonly claims: Claims & { readonly iss: string };
}

/** What a signer needs. */
export interface SignerOptions {
  readonly store: Pick<SigningKeyStore, 'list' | 'add' | 'addFirst'>;
  /** The key of this process, PKCS #8 in PEM; null to use the newest of the database. */
  readonly ownKey: string | null;
  readonly clock: Clock;
}

/** Signs statements, and shows the keys they are verified with. */
export class Signer {
  readonly #options: SignerOptions;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  /** `claims` with the issuer before them, and their JWS. The keys are read each time: another gateway may have rotated them. */
  async sign<Claims extends object>(type: StatementType, claims: Claims): Promise<Signed<Claims>> {
    const keys = await this.#keys();
    const { ownKey } = this.#options;
    const pem = ownKey ?? keys.find(({ privateKey }) => privateKey !== null)?.privateKey;
    const signing = pem ? signingKeyFrom(pem) : null;
    if (!signing) throw new Error('No key can sign.');
    // Loaded by the first signature, so that a start does not wait for it.
    const { CompactSign } = await import('jose');
    const issued = { iss: issuerOf(keys), ...claims };
    const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(issued)))
      .setProtectedHeader({ alg: 'EdDSA', kid: signing.kid, typ: statementTypes[type] })
      .sign(signing.key);
    return { jws, claims: issued };
  }

  /** All public keys. */
  async keySet(): Promise<KeySet> {
    const keys = await this.#keys();
    return { issuer: issuerOf(keys), keys: keys.map(publicJwk) };
  }

  /** The keys of the database, with one that can sign among them: it is made, or that of this process is added. */
  async #keys(): Promise<readonly StoredSigningKey[]> {
    const { store, ownKey, clock } = this.#options;
    const keys = await store.list();
    const own = ownKey === null ? null : signingKeyFrom(ownKey);
    if (own) {
      if (keys.some(({ kid }) => kid === own.kid)) return keys;
      await store.add({ kid: own.kid, publicKey: own.publicKey, privateKey: null, createdAtMs: clock.nowMs() });
      return store.list();
    }
    if (keys.some(({ privateKey }) => privateKey !== null)) return keys;
    if (keys.length === 0) await store.addFirst(newSigningKey(clock.nowMs()));
    else await store.add(newSigningKey(clock.nowMs()));
    return store.list();
  }
}

/** The name of the issuer: that of the first key of all. */
function issuerOf(keys: readonly StoredSigningKey[]): string {
  return `urn:sluice:${keys.at(-1)?.kid ?? ''}`;
}
