/** The settings of the pages that people sign in to: whether they are served at all, whether without TLS, and who else vouches. */

import type { IdentityProviderSettings } from '#accounts/members/identity-provider.ts';
import type { Console } from '#generated/schemas/configuration-types.ts';
import type { Environment } from './environment.ts';
import { readOidc } from './oidc.ts';
import type { YamlFile } from './yaml-file.ts';

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
 * What `console:` means at this place. Served unless switched off; on an address that other machines reach, only with a
 * trusted proxy in front, which can say that a connection has TLS, or where that is not wanted. Throws ConfigError.
 */
export function readConsole(
  { enabled, insecure, oidc }: Console,
  at: Place,
  { file, environment }: { readonly file: YamlFile; readonly environment: Environment },
): ConsoleSettings {
  const served = enabled && (at.loopback || at.proxied || insecure);
  return { enabled, served, insecure, oidc: oidc === undefined ? null : readOidc(oidc, file, environment) };
}
