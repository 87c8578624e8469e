/** Where figures come from: the request as a curl command, and the table as a file. */
import { useState } from 'preact/hooks';
import { after } from '../clock.ts';
import { csv } from '../format.ts';

/** What a table can be saved as. */
export interface Sheet {
  /** Of the file, without an ending. */
  readonly name: string;
  readonly rows: () => readonly (readonly (string | number | boolean | null)[])[];
}

/** The request behind what is above, to be copied, and its table as CSV. */
export function Source({ path, sheet }: { readonly path: string; readonly sheet?: Sheet }) {
  return (
    <p class="source">
      <a class="path" href={path}>
        {path}
      </a>
      <Copy text={curlOf(path)} label="Copy as curl" />
      {sheet && (
        <button type="button" class="plain" onClick={() => save(sheet)}>
          CSV
        </button>
      )}
    </p>
  );
}

/** What members ask needs their cookie, which no page can read: they put it in. */
function curlOf(path: string): string {
  const name = location.protocol === 'https:' ? '__Host-sluice-session' : 'sluice-session';
  const cookie = path.startsWith('/v1/') ? '' : `-b '${name}=YOUR_COOKIE' `;
  return `curl ${cookie}'${location.origin}${path}'`;
}

interface CopyProps {
  readonly text: string;
  readonly label?: string;
  /** The classes of the button. */
  readonly look?: string;
}

/** Copies a text, and says so. */
export function Copy({ text, label = 'Copy', look = 'plain' }: CopyProps) {
  const [said, say] = useState('');
  const copy = async () => {
    say((await copied(text)) ? 'Copied' : 'Select and copy it by hand');
    after(2000, () => say(''));
  };
  return (
    <button type="button" class={look} onClick={() => void copy()} aria-live="polite">
      {said === '' ? label : said}
    </button>
  );
}

/** The clipboard is there on secure origins only. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Gives a table to the reader as a file. */
export function save({ name, rows }: Sheet): void {
  const url = URL.createObjectURL(new Blob([csv(rows())], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` });
  link.click();
  URL.revokeObjectURL(url);
}
