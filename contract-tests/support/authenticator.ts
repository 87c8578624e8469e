/**
 * An authenticator in software, for tests: it makes passkeys and signs with them as a browser and its device would
 * (WebAuthn level 3), and also as neither ever would: with another origin, host or challenge, a counter that goes back,
 * nobody there.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a test may get wrong on purpose. */
export interface AuthenticatorFaults {
  readonly origin?: string;
  readonly host?: string;
  readonly challenge?: string;
  /** Whether somebody was verified, by finger or PIN. */
  readonly verified?: boolean;
  readonly userHandle?: string;
  readonly counter?: number;
  readonly type?: string;
}

/** The questions of the gateway, as far as they matter here. */
interface Question {
  readonly challenge?: unknown;
  readonly rp?: { readonly id?: unknown };
  readonly rpId?: unknown;
  readonly user?: { readonly id?: unknown };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** One passkey of one member. */
export class SoftPasskey {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #userHandle = '';
  readonly id = randomBytes(16).toString('base64url');
  /** Counts uses; with 0 it does not count, as most do today. */
  counter: number;

  /** `origin`: of the page that asks. */
  constructor(origin: string, { counter = 0 } = {}) {
    this.#origin = origin;
    this.counter = counter;
  }

  /** The answer to a question for a new passkey, as `toJSON()` gives it. */
  created(question: object, faults: AuthenticatorFaults = {}) {
    const { challenge, rp, user } = question as Question;
    this.#userHandle = String(user?.id);
    const clientData = this.#clientData('webauthn.create', String(challenge), faults);
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, 16]),
      Buffer.from(this.id, 'base64url'),
      coseKey(this.#keys.publicKey),
    ]);
    const authData = this.#authenticatorData(String(rp?.id), credential, faults);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText('none')],
      ...[cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(authData)],
    ]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The answer to a question for signing in. A passkey that counts has counted one more. */
  signed(question: object, faults: AuthenticatorFaults = {}) {
    const { challenge, rpId } = question as Question;
    if (this.counter > 0) this.counter++;
    const clientData = this.#clientData('webauthn.get', String(challenge), faults);
    const authData = this.#authenticatorData(String(rpId), null, faults);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: faults.userHandle ?? this.#userHandle,
    });
  }

  #credential<Response>(response: Response) {
    const parts = { type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} };
    return { id: this.id, rawId: this.id, ...parts, response };
  }

  #clientData(type: string, challenge: string, faults: AuthenticatorFaults): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? this.#origin,
        crossOrigin: false,
      }),
    );
  }

  #authenticatorData(host: string, credential: Buffer | null, faults: AuthenticatorFaults): Buffer {
    const flags = PRESENT | ((faults.verified ?? true) ? VERIFIED : 0) | (credential ? ATTESTED : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(faults.counter ?? this.counter);
    const parts = [sha256(Buffer.from(faults.host ?? host)), Buffer.from([flags]), counter];
    return Buffer.concat(credential ? [...parts, credential] : parts);
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** An ES256 key as COSE has it: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (text: string) => cborBytes(Buffer.from(text, 'base64url'));
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
  return Buffer.concat([head, coordinate(x), Buffer.from([0x22]), coordinate(y)]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

/** Readers measure keys by writing them again, so the length must be in its shortest form. */
function cborBytes(bytes: Buffer): Buffer {
  const { length } = bytes;
  const head = length < 24 ? [0x40 + length] : length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}
