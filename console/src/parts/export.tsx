/** Tables as files: CSV for spreadsheets, JSON Lines for programs. */
import { useState } from 'preact/hooks';
import { csv } from '../format.ts';

/** What a cell of a table may be. */
export type Cell = string | number | boolean | null;

/** A table with its columns, in their order. */
export interface Exported {
  /** Of the file, without an ending. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The rows, which may have to be asked for first. */
  readonly rows: () => readonly (readonly Cell[])[] | Promise<readonly (readonly Cell[])[]>;
}

const KINDS = {
  csv: { text: 'CSV', type: 'text/csv', write: ({ columns }: Exported, rows: Rows) => csv([columns, ...rows]) },
  jsonl: {
    text: 'JSON Lines',
    type: 'application/jsonl',
    write: ({ columns }: Exported, rows: Rows) => lines(columns, rows),
  },
} as const;

type Rows = readonly (readonly Cell[])[];

/** The table as either kind of file. What it says while the rows are asked for, and why they could not be. */
export function Export({ of }: { readonly of: Exported }) {
  const [said, say] = useState('');
  const give = async (kind: keyof typeof KINDS) => {
    say('Loading …');
    try {
      const { type, write } = KINDS[kind];
      download(`${of.name}.${kind}`, type, write(of, await of.rows()));
      say('');
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <span class="export">
      {(['csv', 'jsonl'] as const).map((kind) => (
        <button key={kind} type="button" class="plain" onClick={() => void give(kind)}>
          {KINDS[kind].text}
        </button>
      ))}
      <span role="status">{said}</span>
    </span>
  );
}

/** One JSON object for each row. */
export function lines(columns: readonly string[], rows: Rows): string {
  return rows
    .map((row) => `${JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])))}\n`)
    .join('');
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
