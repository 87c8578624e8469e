/** A choice of one of a few things, side by side. */
import { rangeText } from '../format.ts';

interface ChoiceProps<T extends string> {
  /** What is chosen, for those who cannot see it. */
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

/** Buttons in a row; the chosen one is pressed. */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          class="option"
          aria-pressed={option === value}
          onClick={() => onChoose(option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** Options for periods. */
export function periods<T extends string>(names: readonly T[]): (readonly [value: T, text: string])[] {
  return names.map((name) => [name, rangeText(name)]);
}
