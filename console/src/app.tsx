/** The frame of every screen: where one is, and whether what one sees is live. */
import { Board } from './board/board.tsx';
import { Calculator } from './calculator/calculator.tsx';
import { type LinkState, link } from './data/live.ts';
import { ModelView } from './model/model.tsx';
import { route } from './route.ts';
import { FirstCallView } from './start/start.tsx';
import { Status } from './status/status.tsx';

/** The whole page; with `accounts` it leads to where people sign in. */
export function ConsolePage({ accounts }: { readonly accounts: boolean }) {
  return (
    <div class="frame">
      <header class="top">
        <a class="brand" href="#/">
          Sluice
        </a>
        <nav class="tabs" aria-label="Pages">
          {TABS.map(([screen, address, text]) => (
            <a
              key={screen}
              class="tab"
              href={address}
              aria-current={route.value.screen === screen ? 'page' : undefined}
            >
              {text}
            </a>
          ))}
          <a class="tab" href="/docs">
            Documentation
          </a>
          {accounts && (
            <a class="tab" href="/settings">
              Your account
            </a>
          )}
        </nav>
        <Link />
      </header>
      <main>
        <Screen />
      </main>
    </div>
  );
}

const TABS = [
  ['board', '#/', 'Market'],
  ['status', '#/status', 'Status'],
  ['calculator', '#/calculator', 'Calculator'],
  ['start', '#/start', 'First call'],
] as const;

function Screen() {
  const { value } = route;
  if (value.screen === 'model') return <ModelView model={value.model} />;
  if (value.screen === 'status') return <Status />;
  if (value.screen === 'calculator') return <Calculator />;
  return value.screen === 'start' ? <FirstCallView /> : <Board />;
}

/** Whether the levels are live. */
function Link() {
  const { word, sentence } = LINKS[link.value];
  return (
    <span class={`link link-${link.value}`} role="status" title={sentence}>
      {word}
    </span>
  );
}

const LINKS: Readonly<Record<LinkState, { word: string; sentence: string }>> = {
  connecting: { word: 'Connecting', sentence: 'The levels are asked for.' },
  live: { word: 'Live', sentence: 'Levels arrive as they move.' },
  polling: { word: 'Every 5 s', sentence: 'The stream was refused or fell silent, so the levels are asked for.' },
  offline: { word: 'Offline', sentence: 'The gateway cannot be reached. What you see is the last that was known.' },
};
