/** Which page of the console is shown: the part of the address behind `#`, as `#/name` or `#/name/rest`. */
import { signal } from '@preact/signals';

/** Where one is. */
export interface Place {
  /** The name of a page; empty for the first. */
  readonly page: string;
  /** What the page is about, such as an id; empty for all of it. */
  readonly rest: string;
}

/** What a page is given. */
export interface PageProps {
  /** The role of the member: `operator`, `finance` or `viewer`. */
  readonly role: string;
  /** What follows the name of the page in the address, such as an id; empty when nothing does. */
  readonly rest: string;
}

/** Where one is now. */
export const place = signal<Place>(placeOf(location.hash));

addEventListener('hashchange', () => {
  place.value = placeOf(location.hash);
  scrollTo(0, 0);
});

/** The address of a page. */
export function pageAddress(page: string, rest = ''): string {
  return rest === '' ? `#/${page}` : `#/${page}/${encodeURIComponent(rest)}`;
}

function placeOf(hash: string): Place {
  const [, page = '', rest = ''] = /^#\/([a-z-]+)(?:\/(.+))?$/.exec(hash) ?? [];
  return { page, rest: decoded(rest) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
