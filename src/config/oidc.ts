/** `console.oidc`: the identity provider, with its secret from OIDC_CLIENT_SECRET. */

import type { MemberPlace } from '#access/member.ts';
import type { IdentityProviderSettings } from '#accounts/members/identity-provider.ts';
import type { Oidc, RolePlace } from '#generated/schemas/configuration-types.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { secretOf } from './secrets.ts';
import type { YamlFile } from './yaml-file.ts';

/** The settings of the provider. Throws ConfigError, which never repeats the secret. */
export function readOidc(oidc: Oidc, file: YamlFile, environment: Environment): IdentityProviderSettings {
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
