/**
 * TLS between gateways. The secret that they share takes the place of certificates (TLS 1.3 with a pre-shared key and
 * an ephemeral key exchange): a gateway that does not know it gets no connection, on either side. A listener can read
 * and change nothing, and cannot read a recorded connection when the secret becomes known later.
 */
import { hkdfSync } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

const KEY_BYTES = 32;
/** Both sides must name the key; there is only one. */
const KEY_NAME = 'sluice';
/** The keys are for a cipher with this hash. */
const protocol: SecureContextOptions = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
};

/** Options of `https.createServer`. */
export function listenerTls(secret: string) {
  const key = keyOf(secret);
  return { ...protocol, pskCallback: () => key };
}

/** Options of `tls.connect`. */
export function dialerTls(secret: string) {
  const psk = keyOf(secret);
  // No certificate is trusted: else the owner of any certificate could answer in place of a gateway, without the key.
  return { ...protocol, ca: [], pskCallback: () => ({ psk, identity: KEY_NAME }) };
}

/** Whether a caller failed because it has another secret: no other failure says so, and no caller without TLS has one. */
export function isCallerWithOtherSecret(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_SSL_BINDER_DOES_NOT_VERIFY';
}

/** Whether a dialed connection failed because the other side has another secret. */
export function isOtherSecret(error: unknown): boolean {
  return error instanceof Error && error.message.includes('alert decrypt error');
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'sluice peer', KEY_BYTES));
}
