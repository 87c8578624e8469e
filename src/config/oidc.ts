/** `console.oidc`: the identity provider, with its secret from OIDC_CLIENT_SECRET. */

import { accountRoles, type MemberPlace, operatorRoles } from '#access/member.ts';
import type { IdentityProviderSettings } from '#accounts/members/identity-provider.ts';
import type { Environment } from './environment.ts';
import { secretOf } from './secrets.ts';
import { ConfigError, type Section } from './section.ts';

const ISSUER = {
  pattern: /^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?)(?:\/[^\s?#]*)?$/,
  expected: 'an address with https://; http:// only on this machine',
  example: 'https://id.example.com',
};

/** The settings of the provider; null without the section. Throws ConfigError, which never repeats the secret. */
export function readOidc(section: Section, environment: Environment): IdentityProviderSettings | null {
  if (!section.has('oidc')) return null;
  const oidc = section.section('oidc');
  const issuer = oidc.text('issuer', ISSUER);
  const settings = {
    issuer,
    clientId: oidc.text('client_id', { example: 'sluice' }),
    clientSecret: clientSecret(environment),
    name: oidc.text('name', {
      default: new URL(issuer).hostname,
      pattern: /^(?=.*\S).{1,60}$/,
      expected: 'up to 60 characters',
    }),
    scope: oidc.text('scope', {
      default: 'openid email profile',
      pattern: /^(?:.* )?openid(?: .*)?$/,
      expected: 'scopes with a space between them, openid among them',
    }),
    ...readRoles(oidc),
  };
  oidc.finish();
  return settings;
}

/** Both or neither: a claim without a map would give nobody a role, a map without a claim nothing to look up. */
function readRoles(oidc: Section): Pick<IdentityProviderSettings, 'roleClaim' | 'places'> {
  const roleClaim = oidc.text('role_claim', { default: null });
  if (roleClaim === null && !oidc.has('roles')) return { roleClaim: null, places: new Map() };
  if (roleClaim === null) oidc.refuse('role_claim', 'is missing', 'name the claim whose values roles maps');
  const roles = oidc.section('roles', { example: '{admins: {operator: operator}}' });
  const places = new Map(roles.names().map((value): [string, MemberPlace] => [value, readPlace(roles.section(value))]));
  roles.finish();
  return { roleClaim, places };
}

function readPlace(place: Section): MemberPlace {
  const read = place.has('operator') ? operatorPlace(place) : accountPlace(place);
  place.finish();
  return read;
}

function operatorPlace(place: Section): MemberPlace {
  return { accountId: null, role: place.choice('operator', operatorRoles) };
}

function accountPlace(place: Section): MemberPlace {
  const example = 'the id of an account, with role beside it; or operator: viewer';
  const accountId: string = place.text('account', { example });
  return { accountId, role: place.choice('role', accountRoles) };
}

function clientSecret(environment: Environment): string {
  const value = secretOf(environment, 'OIDC_CLIENT_SECRET');
  if (!value)
    throw new ConfigError('console.oidc is set and OIDC_CLIENT_SECRET is not; set it to the secret of the client.');
  return value;
}
