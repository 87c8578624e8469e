/**
 * Receipts that are verified without the gateway. This file is handwritten and copied into the client as it is: no
 * generator knows the signature or the tariff.
 */
import { ReceiptError } from './error-classes.js';
import { type ReceiptClaims, ReceiptClaimsFromJSON, type SigningKeys } from './models/index.js';
import { fromNano, type Money } from './money.js';

/** The reference mix in hundredths: cached, other input, output. */
const MIX = [90n, 10n, 2n] as const;

/** The signed receipt of an order. Save `jws` and the keys: `new OrderReceipt(jws, keys)` reads them again. */
export class OrderReceipt {
  readonly jws: string;
  readonly keys: SigningKeys;
  /** What was signed, in nano-dollars. */
  readonly claims: ReceiptClaims;

  /** Throws ReceiptError on text that is no JWS. */
  constructor(jws: string, keys: SigningKeys) {
    this.jws = jws;
    this.keys = keys;
    this.claims = ReceiptClaimsFromJSON(jsonOf(partsOf(jws)[1]));
  }

  /** What the order cost. */
  get charged(): Money {
    return fromNano(BigInt(this.claims.charged_nano_usd));
  }

  /** Checks the signature, and computes the charge from tariff, price and tokens; without a network. Throws ReceiptError. */
  async verify(): Promise<void> {
    try {
      await this.#verifySignature();
      const stated = BigInt(this.claims.charged_nano_usd) + BigInt(this.claims.written_off_nano_usd);
      const due = dueOf(this.claims);
      if (stated !== due) throw new ReceiptError(`The receipt charges ${stated} nano-dollars; its tokens cost ${due}.`);
    } catch (error) {
      if (error instanceof ReceiptError) throw error;
      // Such as a key that is none, or a claim that is missing.
      throw new ReceiptError(`The receipt cannot be verified: ${(error as Error).message}`, error);
    }
  }

  async #verifySignature(): Promise<void> {
    const [header, payload, signature] = partsOf(this.jws);
    const { alg, typ, kid } = jsonOf(header) as Record<string, unknown>;
    if (alg !== 'EdDSA' || typ !== 'sluice-receipt+jws') throw new ReceiptError('The JWS is not a signed receipt.');
    if (this.claims.iss !== this.keys.issuer)
      throw new ReceiptError(`The receipt is of ${this.claims.iss}, and the keys are of ${this.keys.issuer}.`);
    const known = this.keys.keys.find((key) => key.kid === kid);
    if (!known) throw new ReceiptError(`The published keys have no ${kid}.`);
    const key = await crypto.subtle.importKey('raw', bytesOf(known.x), 'Ed25519', false, ['verify']);
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    if (!(await crypto.subtle.verify('Ed25519', key, bytesOf(signature), signed)))
      throw new ReceiptError('The signature of the receipt is wrong.');
  }
}

/** What the tokens cost in nano-dollars, rounded once, half to even. */
function dueOf(claims: ReceiptClaims): bigint {
  const { tariff, prompt_tokens, cached_tokens, output_tokens, level_nano_usd } = claims;
  const [, kind, ...weights] = /^(market|fixed):(\d+):(\d+):(\d+)$/.exec(tariff) ?? [];
  if (!kind) throw new ReceiptError(`${tariff} is not a known tariff.`);
  const counts = [cached_tokens, prompt_tokens - cached_tokens, output_tokens];
  const sum = (shares: readonly bigint[]) =>
    weights.reduce((total, weight, at) => total + BigInt(weight) * (shares[at] ?? 0n), 0n);
  const worth = sum(counts.map(BigInt));
  if (kind === 'fixed') return halfEven(worth, 1_000_000n);
  return halfEven(worth * BigInt(level_nano_usd) * 100n, sum(MIX) * 1_000_000n);
}

function halfEven(above: bigint, below: bigint): bigint {
  const whole = above / below;
  const rest = 2n * (above % below);
  return rest > below || (rest === below && whole % 2n === 1n) ? whole + 1n : whole;
}

function partsOf(jws: string): [string, string, string] {
  const [header, payload, signature, ...more] = jws.split('.');
  if (!header || !payload || !signature || more.length > 0)
    throw new ReceiptError('The receipt is no JWS of three parts.');
  return [header, payload, signature];
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytesOf(part)));
  } catch {
    throw new ReceiptError('The receipt is no JWS of JSON.');
  }
}
