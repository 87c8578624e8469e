/**
 * The pages in a browser. The server has sent a table that can be read already: it stays until the first figures are
 * there, and is then replaced at once, so that the page is never blank. It also says whether this gateway has accounts.
 */
import './style.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { place as screen } from './address.ts';
import { MarketPage } from './app.tsx';
import { board, rows } from './data/board.ts';
import { followLevels } from './data/live.ts';

const place = document.getElementById('app');
if (place) {
  const accounts = place.querySelector('a[href="/settings"]') !== null;
  board.start();
  followLevels();
  const begin = effect(() => {
    if (rows.value === undefined && screen.value.name === '') return;
    // Not inside the effect: what is drawn must not become what it follows.
    queueMicrotask(() => {
      begin();
      place.replaceChildren();
      render(<MarketPage accounts={accounts} />, place);
    });
  });
}
