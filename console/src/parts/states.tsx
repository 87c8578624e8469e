/** What is shown while there is nothing to show: nothing yet, nothing at all, or a failure. */
import type { ComponentChildren } from 'preact';

/** Something is on its way. Takes about the room of what will be there. */
export function Loading({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="panel loading" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bar" />
      ))}
    </div>
  );
}

/** There is nothing, and why that is fine. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

interface FailureProps {
  readonly sentence: string;
  readonly retry?: () => void;
  /** What else there is to say of it. */
  readonly children?: ComponentChildren;
}

/** Something failed; what was known before stays visible beside it. */
export function Failure({ sentence, retry, children }: FailureProps) {
  return (
    <p class="failure">
      <span role="alert">{sentence}</span> {children}
      {retry && (
        <button type="button" class="plain" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  );
}
