/** The name of an account, where an answer has its id alone. */
import { useEffect, useState } from 'preact/hooks';
import { placeLink } from '../address.ts';
import { granted, settings } from '../settings/session.ts';

/** A name never changes. */
const known = new Map<string, string>();

/** A link to the account; its id until the name is known, and where the reader points. */
export function AccountName({ id }: { readonly id: string }) {
  const [name, setName] = useState(known.get(id));
  useEffect(() => {
    if (known.has(id)) return;
    granted(settings.GET('/console/api/accounts/{id}', { params: { path: { id } } })).then(
      ({ name: found }) => {
        known.set(id, found);
        setName(found);
      },
      // The id says the same.
      () => {},
    );
  }, [id]);
  return (
    <a class={name === undefined ? 'path' : ''} href={placeLink('accounts', id)} title={id}>
      {name ?? id}
    </a>
  );
}
