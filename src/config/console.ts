/** The settings of the pages that people sign in to: whether they are served at all, whether without TLS, and who else vouches. */
import type { IdentityProviderSettings } from '#accounts/members/identity-provider.ts';
import type { Environment } from './environment.ts';
import { readOidc } from './oidc.ts';
import type { Section } from './section.ts';

/** `console:` of the file, decided for where the gateway listens. */
export interface ConsoleSettings {
  /** Whether there are pages at all. The market needs no login, and so no TLS. */
  readonly enabled: boolean;
  /** Whether the settings and the console exist. */
  readonly served: boolean;
  /** Whether a session may be carried without TLS from another machine. */
  readonly insecure: boolean;
  /** The identity provider; null for none. */
  readonly oidc: IdentityProviderSettings | null;
}

/** Where the gateway listens. */
interface Place {
  readonly loopback: boolean;
  readonly proxied: boolean;
}

/**
 * Reads `console: {enabled, insecure, oidc}`. Served unless switched off; on an address that other machines reach, only with a
 * trusted proxy in front, which can say that a connection has TLS, or where that is not wanted.
 */
export function readConsole(section: Section, at: Place, environment: Environment): ConsoleSettings {
  const enabled = section.flag('enabled', true);
  const insecure = section.flag('insecure', false);
  const oidc = readOidc(section, environment);
  section.finish();
  return { enabled, served: enabled && (at.loopback || at.proxied || insecure), insecure, oidc };
}
