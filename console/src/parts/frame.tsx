/** The frame of every page: the way past the navigation, the navigation, which is a menu on phones, and the screen. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { place } from '../address.ts';
import { keepFocus } from '../focus.ts';
import { later } from '../settings/later.tsx';
import { isUtc, switchZone } from '../zone.ts';
import { Toasts } from './toast.tsx';

const Palette = later(async () => (await import('../palette/palette.tsx')).Palette);

/** An entry of the navigation. */
export interface Tab {
  readonly text: string;
  readonly href: string;
  readonly isHere?: boolean;
}

interface FrameProps {
  readonly tabs: readonly Tab[];
  /** Whether the navigation is a column where there is room for one. */
  readonly aside?: boolean;
  /** In the corner: whether figures are live, who is signed in. */
  readonly corner?: ComponentChildren;
  /** Whether the screen shows figures of the past. */
  readonly isStale?: boolean;
  readonly children: ComponentChildren;
}

/** The whole page. */
export function Frame({ tabs, aside = false, corner, isStale = false, children }: FrameProps) {
  const [isOpen, open] = useState(false);
  const main = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { name, rest } = place.value;
  const [isSearching, search] = useState(false);
  useEffect(() => {
    open(false);
    search(false);
  }, [name, rest]);
  useEffect(() => onSearchKey(() => search(true)), []);
  useEffect(() => (main.current ? keepFocus(main.current) : undefined), []);
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    open(false);
    button.current?.focus();
  };
  return (
    <div class={aside ? 'frame aside' : 'frame'}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page; the address says which screen is shown. */}
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the page
      </a>
      <header class="top">
        <a class="brand" href="/">
          Sluice
        </a>
        <button
          ref={button}
          type="button"
          class="button menu"
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => open(!isOpen)}
          onKeyDown={leave}
        >
          Menu
        </button>
        <nav id="pages" class="tabs" aria-label="Pages" onKeyDown={leave}>
          {tabs.map(({ text, href, isHere }) => (
            <a key={href} class="tab" href={href} aria-current={isHere ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <div class="tools">
          <button type="button" class="find" aria-keyshortcuts="Control+K Meta+K" onClick={() => search(true)}>
            Find <kbd>Ctrl K</kbd>
          </button>
          <button type="button" aria-pressed={isUtc.value} title="Show all times in UTC" onClick={switchZone}>
            UTC
          </button>
          {corner}
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} class={isStale ? 'stale' : ''}>
        {children}
      </main>
      <Toasts />
      {isSearching && <Palette onClose={() => search(false)} />}
    </div>
  );
}

/** Calls `run` when the reader presses Ctrl-K, or the same with the key of a Mac. */
function onSearchKey(run: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    run();
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}
