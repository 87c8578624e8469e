/** What is kept of the account's results, files and requests, and the end of all of it. */

import { accountIdOf, changeBy } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { MemberStorage, StorageSettings } from './account-ports.ts';

/** What these handlers need. */
export interface StorageOptions {
  readonly memberStorage: MemberStorage;
  /** How many bytes an account may keep. */
  readonly storedBytesMax: number;
  readonly authenticator: Pick<Authenticator, 'forget'>;
}

/** getStorage, updateStorage and clearStorage. */
export function storageHandlers(options: StorageOptions): HandlersFor<'getStorage' | 'updateStorage' | 'clearStorage'> {
  const { memberStorage, storedBytesMax, authenticator } = options;
  const reply = ({ retentionDays, logPayloads, storedBytes }: StorageSettings) => ({
    status: 200 as const,
    json: {
      object: 'storage',
      retention_days: retentionDays,
      log_payloads: logPayloads,
      stored_bytes: storedBytes,
      stored_bytes_max: storedBytesMax,
    },
  });
  return {
    async getStorage(call) {
      return reply(await memberStorage.of(accountIdOf(call)));
    },

    async updateStorage(call) {
      const { retention_days: retentionDays, log_payloads: logPayloads } = call.call.body;
      const accountId = accountIdOf(call);
      const changed = await memberStorage.change(changeBy(call), {
        ...(retentionDays === undefined ? {} : { retentionDays }),
        ...(logPayloads === undefined ? {} : { logPayloads }),
      });
      authenticator.forget(accountId);
      return reply(changed);
    },

    async clearStorage(call) {
      const cleared = await memberStorage.clear(changeBy(call));
      return { status: 200, json: { object: 'cleared', ...cleared } };
    },
  };
}
