/**
 * Whether something that another gateway sent is a message, by `messages.schema.yaml`. One that is none comes from a version
 * that should not have been let in.
 */
import { isPeerMessage } from '#generated/schemas/peer-message.js';
import type { PeerMessage } from '../messages.ts';

/** The value as a message; null when it is none. */
export function checkedMessage(value: unknown): PeerMessage | null {
  return isPeerMessage(value) ? (value as PeerMessage) : null;
}
