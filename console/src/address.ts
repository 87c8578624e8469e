/**
 * Where one is on a page: the part of the address behind `#`, as `#/name/rest?query`. The back button, links and bookmarks
 * work, and what a reader has chosen is in the query, so that a link shows the same to others.
 */
import { signal } from '@preact/signals';

/** Where one is. */
export interface Place {
  /** The name of a screen; empty for the first. */
  readonly name: string;
  /** What the screen is about, such as an id; empty for all of it. */
  readonly rest: string;
  /** What the reader has chosen there. */
  readonly query: URLSearchParams;
}

/** Where one is now. */
export const place = signal<Place>(placeOf(location.hash));

/** Whether the reader has come from another place of this page. A page that was just loaded leaves the focus alone. */
export const hasMoved = { value: false };

addEventListener('hashchange', () => {
  const { name, rest } = place.peek();
  place.value = placeOf(location.hash);
  if (name === place.value.name && rest === place.value.rest) return;
  hasMoved.value = true;
  scrollTo(0, 0);
});

/** The address of a place. */
export function placeLink(name: string, rest = '', query: Readonly<Record<string, string>> = {}): string {
  const path = rest === '' ? name : `${name}/${encodeURIComponent(rest)}`;
  const text = String(new URLSearchParams(query));
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

/** One of `options` that is kept in the address under `name`; the first where the address names none of them. */
export function useChoice<T extends string>(
  name: string,
  options: readonly [T, ...T[]],
): [value: T, choose: (value: T) => void] {
  const [text, write] = useText(name);
  return [options.find((option) => option === text) ?? options[0], (value) => write(value === options[0] ? '' : value)];
}

/** A text that is kept in the address under `name`; empty where there is none. */
export function useText(name: string): [text: string, write: (text: string) => void] {
  return [place.value.query.get(name) ?? '', (text) => keep({ [name]: text })];
}

/** Keeps texts in the address, in the place of those of the same names. It makes no step of the back button. */
export function keep(texts: Readonly<Record<string, string>>): void {
  const { name, rest, query } = place.peek();
  become(placeLink(name, rest, present({ ...Object.fromEntries(query), ...texts })));
}

/** The texts that are not empty. */
export function present(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** Shows this address in the place of the one that brought the reader here. */
export function become(address: string): void {
  history.replaceState(null, '', address);
  place.value = placeOf(location.hash);
}

function placeOf(hash: string): Place {
  const [, name = '', rest = '', query = ''] = /^#\/([a-z-]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  // What is no place at all is an unknown one.
  const isNone = name === '' && rest === '' && !/^(?:#\/?(?:\?.*)?)?$/.test(hash);
  return { name: isNone ? hash : name, rest: decoded(rest), query: new URLSearchParams(query) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
