/** What signing stores: its keys, which all gateways of a database share. */

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

/** The keys of a database. None is ever deleted: receipts of yesterday must verify tomorrow. */
export interface SigningKeyStore {
  /** All keys, the newest first. */
  list(): Promise<readonly StoredSigningKey[]>;
  /** Adds a key as the newest, unless it is there already. */
  add(key: StoredSigningKey): Promise<void>;
  /** Adds the first key of a database, unless another gateway did so meanwhile. */
  addFirst(key: StoredSigningKey): Promise<void>;
}
