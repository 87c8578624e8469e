/** Signs messages as the convention Standard Webhooks says, with the library that receivers verify with. */
import { Webhook } from 'standardwebhooks';
import { secretText } from '#base/id.ts';

/** Letters of base64 that make 24 bytes. */
const SECRET_LENGTH = 32;

/** A new secret of an endpoint. */
export function newSigningSecret(): string {
  return `whsec_${secretText(SECRET_LENGTH)}`;
}

/** The headers of a message, as names and values in turn. Each secret signs: while one is replaced, either verifies. */
export function signedHeaders(
  secrets: readonly string[],
  { eventId, body }: { readonly eventId: string; readonly body: string },
  nowMs: number,
): string[] {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, new Date(nowMs), body));
  return [
    ...['webhook-id', eventId, 'webhook-timestamp', String(Math.floor(nowMs / 1000))],
    ...['webhook-signature', signatures.join(' ')],
  ];
}
