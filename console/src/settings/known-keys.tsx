/** Keys that a removed member knows and that still work, each to be revoked. */
import { useState } from 'preact/hooks';
import { Confirmed } from './confirmed.tsx';
import type { Schemas } from './session.ts';

interface KnownKeysProps {
  readonly email: string;
  readonly keys: Schemas['RemovedMember']['keys'];
  readonly revoke: (id: string) => Promise<unknown>;
}

/** Nothing without keys. */
export function KnownKeys({ email, keys, revoke }: KnownKeysProps) {
  const [left, setLeft] = useState(keys);
  if (left.length === 0) return null;
  const end = async (id: string) => {
    await revoke(id);
    setLeft((all) => all.filter(({ key_id }) => key_id !== id));
  };
  return (
    <section class="panel" aria-label="Keys that still work">
      <p>{email} made or rotated these keys, which still work. Revoke those that nobody else needs.</p>
      <ul>
        {left.map(({ key_id: id, name, hint }) => (
          <li key={id}>
            {name} <code>{hint}</code>{' '}
            <Confirmed
              text="Revoke"
              label={`Revoke ${name}`}
              warning="Programs that use it are refused at once."
              yes="Revoke it"
              no="Keep it"
              act={() => end(id)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
