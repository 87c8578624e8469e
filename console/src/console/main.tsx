/** The operator's console in a browser: a page of its own, so that nobody else loads anything of it. */
import '../style.css';
import '../settings/settings.css';
import './console.css';
import { render } from 'preact';
import { loadSession } from '../settings/session.ts';
import { OperatorFrame } from './app.tsx';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<OperatorFrame />, place);
  void loadSession();
}
