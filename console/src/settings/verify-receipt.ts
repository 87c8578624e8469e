/**
 * Verifies the signature of a receipt with WebCrypto: Ed25519 is in Chromium since 137, in Firefox since 129 and in Safari
 * since 17, on pages that are secure. The charge is computed again beside it (receipt.ts).
 */
import type { SignedReceipt } from '#generated/types.ts';

interface Key {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** The result, in a sentence; `fits` is null where the browser cannot tell. */
export interface SignatureCheck {
  readonly says: string;
  readonly fits: boolean | null;
}

/** Verifies a receipt with the public keys of this gateway. Rejects when they cannot be had. */
export async function checkedSignature(receipt: SignedReceipt): Promise<SignatureCheck> {
  const answer = await fetch('/.well-known/jwks.json');
  if (!answer.ok) throw new Error(`The gateway answered ${answer.status}.`);
  const { issuer, keys } = (await answer.json()) as { issuer: string; keys: Key[] };
  const fault = await faultIn(receipt, issuer, keys);
  if (fault === null) return { says: 'This browser cannot verify Ed25519; npx sluice verify can.', fits: null };
  return { says: fault || 'Signed by this gateway: verified in this browser.', fits: fault === '' };
}

/** What is wrong; empty for nothing, and null where the browser cannot tell. */
async function faultIn({ jws, receipt }: SignedReceipt, issuer: string, keys: readonly Key[]): Promise<string | null> {
  const [head = '', payload = '', signature = ''] = jws.split('.');
  const { alg, kid, typ } = JSON.parse(textOf(head));
  const key = keys.find((one) => one.kid === kid);
  if (alg !== 'EdDSA' || typ !== 'sluice-receipt+jws' || !key) return 'It is not signed with a key of this gateway.';
  const said = JSON.parse(textOf(payload));
  if (said.iss !== issuer || JSON.stringify(said) !== JSON.stringify(receipt))
    return 'It says something else than what was signed.';
  try {
    const { kty, crv, x } = key;
    const imported = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
    const bytes = new TextEncoder().encode(`${head}.${payload}`);
    const fits = await crypto.subtle.verify('Ed25519', imported, bytesOf(signature), bytes);
    return fits ? '' : 'The signature does not fit.';
  } catch {
    return null;
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}

function textOf(base64url: string): string {
  return new TextDecoder().decode(bytesOf(base64url));
}
