/**
 * API keys. The secret is shown once, when it is created. Only its SHA-256 is stored; a plain hash is enough because 43
 * random base62 characters (256 bits) cannot be searched. Spec 5.
 */
import { hash } from 'node:crypto';
import { secretText } from '#base/id.ts';

const PREFIX = 'sk-sluice-';
const SECRET_LENGTH = 43;

/** A new unpredictable key: `sk-sluice-` and 43 base62 characters. */
export function newApiKey(): string {
  return PREFIX + secretText(SECRET_LENGTH);
}

/** The SHA-256 of a key in hex, by which it is stored and looked up. */
export function hashKey(secret: string): string {
  return hash('sha256', secret);
}

/** Enough of a key to recognize it among the account's others, too little to use it: `sk-sluice-AbCd…wXyZ`. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, PREFIX.length + 4)}…${secret.slice(-4)}`;
}

/** Whether `text` has the form of a key; if not, it need not be looked up. */
export function isApiKey(text: string): boolean {
  return text.length === PREFIX.length + SECRET_LENGTH && text.startsWith(PREFIX) && /^[\w-]+$/.test(text);
}
