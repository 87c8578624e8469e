/** `sluice signing-key …`: the keys with which gateways sign receipts. Private halves are never printed. */
import { systemClock } from '#base/clock.ts';
import { SigningKeyStore } from '#signing/key-store.ts';
import { newSigningKey, signingKeyFrom } from '#signing/signing-key.ts';
import type { OperatorStore } from './operator-store.ts';
import { CommandError, type CommandResult, table, timeText } from './output.ts';

/** What the environment says. */
interface KeyOptions {
  /** RECEIPT_SIGNING_KEY; null when it is not set. */
  readonly own: string | null;
}

/** `signing-key list`: every key, the newest first, and which one signs. */
export async function listSigningKeys({ db }: OperatorStore, { own }: KeyOptions): Promise<CommandResult> {
  const keys = await new SigningKeyStore(db).list();
  const ownKid = own === null ? null : signingKeyFrom(own)?.kid;
  const signs = ownKid ?? keys.find(({ privateKey }) => privateKey !== null)?.kid;
  const rows = keys.map(({ kid, privateKey, createdAtMs }) => ({
    kid,
    created_at: new Date(createdAtMs).toISOString(),
    signs: kid === signs,
    private_half: privateKey === null ? 'environment' : 'database',
  }));
  const text =
    rows.length === 0
      ? 'There is no key yet: the first receipt that is asked for makes one.'
      : table(
          ['key', 'made', 'private half', 'signs'],
          rows.map((row) => [row.kid, timeText(Date.parse(row.created_at)), row.private_half, row.signs ? 'yes' : '']),
        );
  return { json: { keys: rows }, text };
}

/** `signing-key rotate`: a new key, which signs from now on. Throws CommandError while the environment has the key. */
export async function rotateSigningKey({ db }: OperatorStore, { own }: KeyOptions): Promise<CommandResult> {
  if (own !== null)
    throw new CommandError(
      'RECEIPT_SIGNING_KEY says which key signs; put a new key there, and restart the gateways. The present one stays public.',
    );
  const key = newSigningKey(systemClock.nowMs());
  await new SigningKeyStore(db).add(key);
  return { json: { kid: key.kid }, text: `Receipts are signed with ${key.kid} from now on. Earlier keys stay public.` };
}
