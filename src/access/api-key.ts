/**
 * API keys as text. The secret is shown once, when it is made; what is stored is its SHA-256, which is enough because
 * 43 characters of base62 (256 bits) cannot be searched. Spec 5.
 */
import { hash } from 'node:crypto';
import { secretText } from '#base/id.ts';

const PREFIX = 'sk-sluice-';
const SECRET_LENGTH = 43;

/** A new key: `sk-sluice-` and 43 characters of base62, not to be guessed. */
export function newApiKey(): string {
  return PREFIX + secretText(SECRET_LENGTH);
}

/** The SHA-256 of a key, in hex: how a key is stored and looked up. */
export function hashKey(secret: string): string {
  return hash('sha256', secret);
}

/** Enough of a key to tell it from the account's others, and far too little to use it: `sk-sluice-AbCd…wXyZ`. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, PREFIX.length + 4)}…${secret.slice(-4)}`;
}

/** Whether `text` could be a key of ours; anything else need not be looked up. */
export function isApiKey(text: string): boolean {
  return text.length === PREFIX.length + SECRET_LENGTH && text.startsWith(PREFIX) && /^[\w-]+$/.test(text);
}
