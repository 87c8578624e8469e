/** The settings of the pages that people sign in to: whether they are served at all, whether without TLS, and who else vouches. */

import type { MemberPlace } from '#access/member.ts';
import type { IdentityProviderSettings } from '#accounts/members/identity-provider.ts';
import type { Console, Oidc, RolePlace } from '#generated/schemas/configuration-types.ts';
import { ConfigError, type Environment, secretOf } from './environment.ts';
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

/** The settings of the provider. Throws ConfigError, which never repeats the secret. */
function readOidc(oidc: Oidc, file: YamlFile, environment: Environment): IdentityProviderSettings {
  const { issuer, client_id: clientId, name = new URL(issuer).hostname, scope, role_claim: roleClaim, roles } = oidc;
  // Both or neither: a claim without a map gives nobody a role, a map without a claim nothing to look up.
  if (roles !== undefined && roleClaim === undefined)
    file.refuse(oidc, 'role_claim', 'is missing', 'name the claim whose values roles maps');
  const places = new Map(file.entries(roles ?? {}).map(([value, place]) => [value, placeOf(place)]));
  return {
    issuer,
    clientId,
    clientSecret: clientSecret(environment),
    name,
    scope,
    roleClaim: roleClaim ?? null,
    places,
  };
}

function placeOf(place: RolePlace): MemberPlace {
  return 'account' in place
    ? { accountId: place.account, role: place.role }
    : { accountId: null, role: place.operator };
}

function clientSecret(environment: Environment): string {
  const value = secretOf(environment, 'OIDC_CLIENT_SECRET');
  if (!value)
    throw new ConfigError('console.oidc is set and OIDC_CLIENT_SECRET is not; set it to the secret of the client.');
  return value;
}
