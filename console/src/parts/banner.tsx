/** What a reader must know once, above the screen: closed by the reader, it stays closed in this browser. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface BannerProps {
  /** Where it is kept that it was closed. */
  readonly name: string;
  /** What it is about: about something else it opens again. */
  readonly about: string;
  /** Whether something is wrong. */
  readonly isWrong?: boolean;
  /** On the button that closes it. */
  readonly close?: string;
  readonly children: ComponentChildren;
}

/** Nothing once it was closed here. */
export function Banner({ name, about, isWrong = false, close = 'Hide', children }: BannerProps) {
  const [closed, setClosed] = useState(localStorage.getItem(name));
  if (closed === about) return null;
  const leave = () => {
    localStorage.setItem(name, about);
    setClosed(about);
  };
  return (
    <p class={isWrong ? 'note fall' : 'note'} role="status">
      {children}{' '}
      <button type="button" class="plain" onClick={leave}>
        {close}
      </button>
    </p>
  );
}
