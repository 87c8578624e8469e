/** The operator's console in a browser: a page of its own, so that nobody else loads anything of it. */
import '../style.css';
import { render } from 'preact';
import { loadSession } from '../settings/session.ts';
import { OperatorPages } from './app.tsx';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<OperatorPages />, place);
  void loadSession();
}
