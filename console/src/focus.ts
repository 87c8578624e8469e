/** Keeps the focus near where it was. Browsers give it to the whole page when what had it vanishes or is switched off. */

const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, summary, [tabindex]';
/** The first thing in a table is far from a row that vanished. */
const PASSED_OVER = 'table, tbody, tr:not(:has(button, a, input, select))';

/** Watches what changes inside `main`, until the returned function is called. */
export function keepFocus(main: HTMLElement): () => void {
  /** What had the focus last, and what it is in; empty when the reader has left it. */
  let trail: readonly Element[] = [];
  const enter = ({ target }: FocusEvent) => {
    trail = target instanceof Element ? within(target, main) : [];
  };
  const leave = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null || !(target instanceof Element)) return;
    // An element that is being removed is still in the page while it is left.
    queueMicrotask(() => {
      if (target.isConnected && !target.matches(':disabled') && trail[0] === target) trail = [];
    });
  };
  const observer = new MutationObserver(() => {
    const [lost] = trail;
    if (!lost || document.activeElement !== document.body) return;
    if (!lost.isConnected || lost.matches(':disabled')) nearest(trail)?.focus({ preventScroll: true });
  });
  main.addEventListener('focusin', enter);
  main.addEventListener('focusout', leave);
  observer.observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
  return () => {
    observer.disconnect();
    main.removeEventListener('focusin', enter);
    main.removeEventListener('focusout', leave);
  };
}

function within(element: Element, main: Element): readonly Element[] {
  const trail: Element[] = [];
  for (let at: Element | null = element; at && at !== main.parentElement; at = at.parentElement) trail.push(at);
  return trail;
}

/** What is left of where the focus was and can have it. */
function nearest(trail: readonly Element[]): HTMLElement | null {
  for (const element of trail) {
    if (!element.isConnected || element.matches(PASSED_OVER)) continue;
    const found = element.matches(FOCUSABLE) ? element : element.querySelector(FOCUSABLE);
    if (found instanceof HTMLElement) return found;
  }
  return null;
}
