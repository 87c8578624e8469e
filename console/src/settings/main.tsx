/** The settings in a browser: a page of its own, so that the market loads nothing of it. */
import '../style.css';
import { render } from 'preact';
import { SettingsPage } from './app.tsx';
import { loadSession } from './session.ts';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<SettingsPage />, place);
  void loadSession();
}
