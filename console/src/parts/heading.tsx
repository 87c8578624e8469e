/** The heading of a screen. It names the tab of the browser, and gets the focus when the reader comes from another screen. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasMoved, place } from '../address.ts';

interface HeadingProps {
  readonly title: string;
  /** Before the title in the tab of the browser, such as a price. */
  readonly tab?: string;
  /** Within the heading, behind the title. */
  readonly badges?: ComponentChildren;
  /** In the row of the heading. */
  readonly children?: ComponentChildren;
}

/** The row with the heading. */
export function Heading({ title, tab = '', badges, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { name, rest } = place.value;
  useEffect(() => {
    document.title = `${tab === '' ? '' : `${tab} `}${title} · Sluice`;
  }, [title, tab]);
  useEffect(() => {
    if (hasMoved.value) heading.current?.focus({ preventScroll: true });
  }, [name, rest]);
  return (
    <div class="head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
        {badges && <> {badges}</>}
      </h1>
      {children}
    </div>
  );
}

/** A screen that there is not. */
export function NoSuchPlace({ home }: { readonly home: string }) {
  return (
    <>
      <Heading title="Nothing is here" />
      <p class="empty">
        There is no page “{[place.value.name, place.value.rest].filter((part) => part !== '').join('/')}”.{' '}
        <a href={home}>Go to the first page</a>.
      </p>
    </>
  );
}
