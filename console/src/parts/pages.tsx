/** The pages of a long list. The page that is shown is in the address. */
import { useState } from 'preact/hooks';
import { useText } from '../address.ts';

/** Which page is shown, and how the reader turns it. */
export interface ListPages {
  /** What the gateway is asked for; undefined for the first page. */
  readonly cursor: string | undefined;
  /** Counted from 1; null where the reader came by a link. */
  readonly number: number | null;
  readonly turnTo: (cursor: string) => void;
  /** To the page before, or to the first one where the reader came by a link. */
  readonly turnBack: () => void;
}

/** ListPages that the address keeps under `name`: one for each list of a screen. */
export function usePages(name = 'page'): ListPages {
  const [cursor, write] = useText(name);
  const [before, setBefore] = useState<readonly string[]>([]);
  return {
    cursor: cursor === '' ? undefined : cursor,
    number: cursor !== '' && before.length === 0 ? null : before.length + 1,
    turnTo(next) {
      setBefore([...before, cursor]);
      write(next);
    },
    turnBack() {
      setBefore(before.slice(0, -1));
      write(before.at(-1) ?? '');
    },
  };
}

/** The buttons that turn; nothing for a list of one page. `next` is the cursor of the page behind. */
export function PageButtons({ pages, next }: { readonly pages: ListPages; readonly next: string | null | undefined }) {
  if (pages.cursor === undefined && !next) return null;
  return (
    <p class="row">
      {pages.cursor !== undefined && (
        <button type="button" class="button" onClick={pages.turnBack}>
          Newer
        </button>
      )}
      {next && (
        <button type="button" class="button" onClick={() => pages.turnTo(next)}>
          Older
        </button>
      )}
      {pages.number !== null && <span class="faint">page {pages.number}</span>}
    </p>
  );
}
