/** The address of a backend, from the file or from the request that adds a pod. */

const FIX = 'make it an address such as http://10.0.0.5:8000/v1';

/** The address without trailing slashes; or what is wrong with it, and how to mend that, as parts of a sentence. */
export function readPodAddress(
  text: string,
): { readonly address: string } | { readonly fault: string; readonly fix: string } {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return { fault: 'is not an http or https address', fix: FIX };
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    return { fault: 'contains a user, a password, a query or a fragment', fix: FIX };
  const address = url.href.replace(/\/+$/, '');
  const base = address.replace(/\/chat\/completions$/, '');
  if (base === address) return { address };
  return { fault: 'ends in /chat/completions, which is appended to it', fix: `make it ${base}` };
}
