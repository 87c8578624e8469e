/** Passkeys as browsers have them: the question of the gateway in, the answer of an authenticator out, both as JSON. */

/** Why there can be no passkeys here, as a sentence; null where there can be. */
export function noPasskeysHere(): string | null {
  if (/^(?:\[.*\]|[\d.]+)$/.test(location.hostname))
    return 'Passkeys need an address with a name: open this gateway at localhost, or at its name.';
  if (!isSecureContext) return 'Passkeys need TLS.';
  if (typeof PublicKeyCredential !== 'function' || !('parseCreationOptionsFromJSON' in PublicKeyCredential))
    return 'This browser is too old for passkeys.';
  return null;
}

/** Has an authenticator make a passkey. Rejects with a sentence when there is none in the end. */
export async function makePasskey(question: object): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    question as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    throw new Error(sentenceFor(error));
  });
  if (!(made instanceof PublicKeyCredential)) throw new Error('The browser made no passkey.');
  return made.toJSON();
}

function sentenceFor(error: unknown): string {
  if (error instanceof DOMException && error.name === 'InvalidStateError')
    return 'This device has a passkey of yours for this gateway already.';
  return 'The browser made no passkey: it was refused, or took too long.';
}
