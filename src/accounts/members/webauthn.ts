/**
 * What authenticators are asked and what they sign (WebAuthn), by a library that the first passkey loads: a quarter of a
 * second and 28 MB that most gateways never need. Nothing here knows members or storage.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { invalidRequest } from '#base/fault.ts';
import { ATTEMPT_MS_MAX } from './attempts.ts';

/** Where the gateway is asked. A passkey is bound to the host, an answer to the origin. */
export interface Site {
  /** Such as `https://gateway.example`, as browsers write it. */
  readonly origin: string;
  readonly host: string;
}

/** What an authenticator is asked. */
export interface AuthenticatorQuestion {
  readonly challenge: string;
  readonly site: Site;
}

/** EdDSA, ES256 and RS256 (COSE): every authenticator has one of them, and every Node can check all. */
const ALGORITHMS = [-8, -7, -257];

/** The site at this origin. Throws Fault invalid_request for an address without a name, where passkeys do not exist. */
export function siteAt(origin: string): Site {
  const url = URL.parse(origin);
  if (!url || /^(?:\[.*\]|[\d.]+)$/.test(url.hostname))
    throw invalidRequest(null, 'Passkeys need a host with a name: open this gateway at localhost, or at its name.');
  return { origin: url.origin, host: url.hostname };
}

/** The question for a new passkey, as `PublicKeyCredential.parseCreationOptionsFromJSON` takes it. */
export function creationQuestion(
  { challenge, site }: AuthenticatorQuestion,
  user: { readonly id: string; readonly email: string; readonly knownIds: readonly string[] },
) {
  return {
    challenge,
    rp: { id: site.host, name: 'Sluice' },
    user: { id: handleOf(user.id), name: user.email, displayName: user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: ATTEMPT_MS_MAX,
    attestation: 'none',
    excludeCredentials: user.knownIds.map((id) => ({ type: 'public-key', id })),
    // Found by the authenticator itself, so that nobody can learn which passkeys an e-mail address has.
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  };
}

/** The question to sign in, as `PublicKeyCredential.parseRequestOptionsFromJSON` takes it. */
export function requestQuestion({ challenge, site }: AuthenticatorQuestion) {
  return { challenge, rpId: site.host, timeout: ATTEMPT_MS_MAX, userVerification: 'required' };
}

/** The handle by which authenticators know the member. */
export function handleOf(memberId: string): string {
  return Buffer.from(memberId).toString('base64url');
}

/** The parts of a new passkey that an authenticator made for this question. Rejects for any other answer. */
export async function checkCreated(credential: unknown, { challenge, site }: AuthenticatorQuestion) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: credential as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error('the attestation is not valid');
  const { id, publicKey, counter } = registrationInfo.credential;
  return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter };
}

/**
 * The counter in a signature that this passkey made for this question. Rejects for any other answer. The caller judges
 * the counter; with a wrong signature it means nothing.
 */
export async function checkSigned(
  credential: unknown,
  passkey: { readonly credentialId: string; readonly publicKey: string },
  { challenge, site }: AuthenticatorQuestion,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
    credential: { id: passkey.credentialId, publicKey: Buffer.from(passkey.publicKey, 'base64url'), counter: 0 },
  });
  if (!verified) throw new Error('the signature is not valid');
  return authenticationInfo.newCounter;
}
