/**
 * What two gateways say to each other before anything else. Both know the secret, or they would have no connection
 * (`peer-tls.ts`). The dialer says who it is and whom it calls; then each says what it runs. A mismatch ends the
 * session.
 */

import type { GatewayId, Hello } from '../messages.ts';
import { CLOCK_OFF_MS_MAX } from '../ports.ts';
import type { DialPurpose, PeerName, PeerRefusal } from './connection.ts';

/** The close codes of WebSocket that mean something here. */
export const closeCodes = {
  /** The answer to a probe. */
  alive: 4200,
  malformed: 4400,
  /** Whom the dialer wanted is not here; another gateway is. */
  another: 4404,
  /** Their versions or configurations, or their clocks, do not fit. */
  incompatible: 4409,
  /** The dialer was declared dead. */
  buried: 4410,
  /** Not ready yet. */
  starting: 4503,
} as const;

/** The first message, from the dialer. */
export interface Greeting {
  readonly type: 'greeting';
  readonly purpose: DialPurpose;
  readonly gateway: GatewayId;
  readonly address: string;
  /** Whom it calls: another gateway may have come to the address. */
  readonly to: GatewayId;
}

/** Why two gateways that know the same secret still cannot work together; null when they can. */
export function misfit(own: Hello, other: Hello, address: string): PeerRefusal | null {
  const of = { gateway: other.gateway, address };
  const there = `Gateway ${other.gateway} at ${address}`;
  const here = `this gateway (${own.gateway})`;
  if (own.protocol !== other.protocol)
    return {
      ...of,
      cause: 'protocol',
      sentence: `${there} speaks protocol ${other.protocol} and ${here} ${own.protocol}: they take part in no market together. Run the same version on both.`,
    };
  if (Math.abs(own.nowMs - other.nowMs) > CLOCK_OFF_MS_MAX)
    return {
      ...of,
      cause: 'clock',
      sentence: `The clock of ${there.replace('Gateway', 'gateway')} says ${iso(other.nowMs)} and that of ${here} ${iso(own.nowMs)}: more than ${CLOCK_OFF_MS_MAX / 1000} s apart. Set the clocks of both machines.`,
    };
  return null;
}

/** The refusal of a gateway that does not know the secret. */
export function wrongSecret({ id: gateway, address }: PeerName): PeerRefusal {
  const sentence = `Gateway ${gateway} at ${address} has another SLUICE_PEER_SECRET. Set the same on all gateways.`;
  return { gateway, address, cause: 'secret', sentence };
}

/** A time that another gateway said may be none. */
function iso(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
