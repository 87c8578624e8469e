/** The keys of the member's account. A key itself is in one answer, that of its creation. */
import type { Authenticator } from '#access/authenticator.ts';
import type { components } from '#generated/console-api/types.ts';
import type { MemberKeys, UsedKey } from '#members/ports.ts';
import { accountIdOf, type MemberHandler } from './call.ts';

/** What these handlers need. */
export interface KeysOptions {
  readonly keys: MemberKeys;
  readonly authenticator: Pick<Authenticator, 'forget'>;
}

type Schemas = components['schemas'];

/** listKeys, createKey and revokeKey. */
export function keysHandlers({ keys, authenticator }: KeysOptions): {
  readonly listKeys: MemberHandler;
  readonly createKey: MemberHandler;
  readonly revokeKey: MemberHandler;
} {
  return {
    async listKeys(call) {
      const data = (await keys.list(accountIdOf(call))).map(keyObject);
      return { status: 200, json: { object: 'list', data, active_max: keys.activeMax } satisfies Schemas['KeyList'] };
    },

    async createKey(call) {
      const { name } = call.call.body as Schemas['NewKey'];
      const { key, secret } = await keys.create({ member: call.signedIn.member, accountId: accountIdOf(call) }, name);
      const json = { ...keyObject({ ...key, lastUsedAtMs: null }), api_key: secret };
      return { status: 201, json: json satisfies Schemas['CreatedKey'] };
    },

    async revokeKey(call) {
      const accountId = accountIdOf(call);
      await keys.revoke({ member: call.signedIn.member, accountId }, call.call.params.id ?? '');
      authenticator.forget(accountId);
      return { status: 204 };
    },
  };
}

function keyObject({ id, name, hint, createdAtMs, lastUsedAtMs }: UsedKey): Schemas['ListedKey'] {
  return {
    object: 'key',
    key_id: id,
    name,
    hint,
    created_at: new Date(createdAtMs).toISOString(),
    last_used_at: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
  };
}
