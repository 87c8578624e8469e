/** Who is signed in, and the way out; at the top of the settings and of the console. */
import { useState } from 'preact/hooks';
import { type Schemas, sentenceOf, signOut } from './session.ts';

/** With the account of a member that has one. */
export function WhoIsHere({ who }: { readonly who: Schemas['Session'] }) {
  const [failure, setFailure] = useState('');
  const leave = () => signOut().catch((error: unknown) => setFailure(sentenceOf(error)));
  return (
    <span class="who small">
      <span class="faint" title={who.account?.account_id}>
        {who.email}, {who.role}
        {who.account && ` of ${who.account.name}`}
      </span>{' '}
      <button type="button" class="plain" onClick={() => void leave()}>
        Sign out
      </button>
      {failure && <span role="alert"> {failure}</span>}
    </span>
  );
}
