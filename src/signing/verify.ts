/**
 * Verifies what a gateway signed, with nothing but its public keys. Only EdDSA with a key of the set that the header
 * names is accepted, and only the kind of statement that is asked for, from the issuer of the set.
 */
import { compactVerify, createLocalJWKSet, errors } from 'jose';
import { type StatementType, statementTypes } from './signer.ts';

/** A statement that is not what it should be. The message is a sentence for people. */
export class NotVerified extends Error {}

/** A saved key set, read from JSON. `issuer` is null when it names none, as a set put together by hand may. */
export type SavedKeySet = ReturnType<typeof readKeySet>;

/** The key set in this JSON. Throws NotVerified when it is none. */
export function readKeySet(text: string) {
  const json = parsed(text);
  const keys = json?.keys;
  if (!json || !Array.isArray(keys)) throw new NotVerified('The key set is no JSON object with keys.');
  const usable = keys.filter((key) => key?.kty === 'OKP' && key?.crv === 'Ed25519' && typeof key?.kid === 'string');
  return { issuer: typeof json.issuer === 'string' ? json.issuer : null, jwks: { keys: usable } };
}

/** Verifies the signature of a compact JWS, its kind and its issuer. Throws NotVerified. */
export async function verifyStatement(jws: string, keySet: SavedKeySet, issuer: string | null = keySet.issuer) {
  const { kid, payload, type } = await opened(jws, keySet);
  const claims = parsed(new TextDecoder().decode(payload));
  if (!claims) throw new NotVerified('The payload is no JSON object.');
  if (issuer !== null && claims.iss !== issuer)
    throw new NotVerified(`It was issued by ${JSON.stringify(claims.iss)}, and the keys are those of ${issuer}.`);
  return { kid, type, claims };
}

async function opened(jws: string, { jwks }: SavedKeySet) {
  try {
    const keys = createLocalJWKSet(jwks);
    const { protectedHeader, payload } = await compactVerify(
      jws,
      (header, token) => {
        if (typeof header.kid !== 'string') throw new NotVerified('The signature names no key.');
        return keys(header, token);
      },
      { algorithms: ['EdDSA'] },
    );
    const type = (Object.keys(statementTypes) as StatementType[]).find(
      (name) => statementTypes[name] === protectedHeader.typ,
    );
    if (!type) throw new NotVerified(`It is of an unknown kind, ${JSON.stringify(protectedHeader.typ)}.`);
    return { kid: String(protectedHeader.kid), payload, type };
  } catch (error) {
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return new NotVerified('The signature does not fit: something was changed after it was signed.');
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return new NotVerified('The key that signed it is not in the key set.');
  if (error instanceof errors.JOSEAlgNotAllowed) return new NotVerified('It is not signed with EdDSA.');
  if (error instanceof errors.JOSEError) return new NotVerified(`It is no JWS that can be read: ${error.message}.`);
  return error;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
