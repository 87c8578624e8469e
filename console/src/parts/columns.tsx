/**
 * Which columns of a table the reader sees: chosen in a list, remembered in this browser, and in the address of a table that
 * keeps its state there.
 */
import { signal } from '@preact/signals';
import { useId, useMemo, useState } from 'preact/hooks';
import { useText } from '../address.ts';
import { putBelow } from './hint.tsx';

const NAME = 'sluice-columns';
/** Between the headings of columns; no heading has it. */
const BETWEEN = '|';

/** By the label of the table. */
const remembered = signal<Readonly<Record<string, string>>>(read());

/** The headings that the reader has chosen; null for the usual ones: some of those leave where there is little room. */
export interface Chosen {
  readonly chosen: ReadonlySet<string> | null;
  /** Null for the usual ones. */
  readonly choose: (heads: readonly string[] | null) => void;
}

/** The choice for the table with this label, which keeps its order in the address under `order`; empty for not at all. */
export function useChosen(label: string, order: string): Chosen {
  const [linked, write] = useText(order === '' ? '' : `${order}-columns`);
  const text = linked === '' ? (remembered.value[label] ?? '') : linked;
  const chosen = useMemo(() => (text === '' ? null : new Set(text.split(BETWEEN))), [text]);
  const choose = (heads: readonly string[] | null) => {
    const { [label]: _, ...others } = remembered.value;
    remembered.value = heads === null ? others : { ...others, [label]: heads.join(BETWEEN) };
    localStorage.setItem(NAME, JSON.stringify(remembered.value));
    if (order !== '') write(heads?.join(BETWEEN) ?? '');
  };
  return { chosen, choose };
}

interface ColumnChoiceProps extends Pick<Chosen, 'chosen'> {
  readonly label: string;
  /** The headings of the columns that may be left out. */
  readonly heads: readonly string[];
  readonly onChoose: Chosen['choose'];
}

/** A button that opens the list. */
export function ColumnChoice({ label, heads, chosen, onChoose }: ColumnChoiceProps) {
  const id = useId();
  // While it is closed, nothing in it can be mistaken for a field of the page.
  const [isOpen, open] = useState(false);
  const shown = heads.filter((head) => chosen === null || chosen.has(head));
  const toggle = (head: string) => onChoose(heads.filter((other) => (other === head) !== shown.includes(other)));
  return (
    <div class="column-choice">
      <button type="button" class="plain small" popovertarget={id} aria-label={`Columns of ${label.toLowerCase()}`}>
        Columns
      </button>
      <fieldset
        id={id}
        popover="auto"
        class="bubble"
        onBeforeToggle={({ currentTarget, newState }) => {
          open(newState === 'open');
          putBelow(currentTarget, id);
        }}
      >
        <legend class="hidden">Columns of {label.toLowerCase()}</legend>
        {isOpen &&
          heads.map((head) => (
            <label key={head}>
              <input type="checkbox" checked={shown.includes(head)} onChange={() => toggle(head)} /> {head}
            </label>
          ))}
        {isOpen && chosen !== null && (
          <button type="button" class="plain" onClick={() => onChoose(null)}>
            As usual
          </button>
        )}
      </fieldset>
    </div>
  );
}

function read(): Readonly<Record<string, string>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? '{}');
    return typeof kept === 'object' && kept !== null ? Object.fromEntries(Object.entries(kept)) : {};
  } catch {
    return {};
  }
}
