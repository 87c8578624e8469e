/** The pages of the console, in the order of its navigation. A page is one file beside this one. */
import type { ComponentType } from 'preact';
import { Overview } from './overview.tsx';

/** What a page is told. */
export interface PageProps {
  /** The role of the member: `operator`, `finance` or `viewer`. */
  readonly role: string;
  /** What follows the name of the page in the address, such as an id; empty when nothing does. */
  readonly rest: string;
}

/** A page. */
export interface OperatorPage {
  /** In the address: `#/name`. */
  readonly name: string;
  /** In the navigation. */
  readonly text: string;
  readonly View: ComponentType<PageProps>;
}

/** All of them; the first is shown where the address names none. */
export const PAGES: readonly [OperatorPage, ...OperatorPage[]] = [
  { name: 'overview', text: 'Overview', View: Overview },
];
