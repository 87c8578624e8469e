/**
 * Who is signed in, for the pages of the market. The cookie of a session cannot be read by a page, and asking the gateway
 * for each visitor would be refused most of the time, so the settings and the console leave a note in this browser.
 */
import { signal } from '@preact/signals';

/** A member, as the header shows it. */
export interface RememberedMember {
  readonly email: string;
  readonly role: string;
  /** What its page is called, and where that is. */
  readonly place: string;
  readonly address: string;
}

const NAME = 'sluice-member';

/** The member whose session was open last; null for nobody. A session that has ended meanwhile is noticed on its own page. */
export const member = signal<RememberedMember | null>(read());

addEventListener('storage', ({ key }) => {
  if (key === NAME || key === null) member.value = read();
});

/** Leaves the note, also for this page, to which its own change is not announced; null takes it away. */
export function remember(who: RememberedMember | null): void {
  member.value = who;
  if (who === null) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, JSON.stringify(who));
}

function read(): RememberedMember | null {
  try {
    return JSON.parse(localStorage.getItem(NAME) ?? 'null');
  } catch {
    return null;
  }
}
