/** A button that asks before it does something. */
import { Unfold, useAct } from '../parts/act.tsx';

interface ConfirmedProps {
  /** On the button, and for readers of the screen what it is about. */
  readonly text: string;
  readonly label?: string;
  /** What will happen. */
  readonly warning: string;
  readonly yes: string;
  readonly no: string;
  /** Does it. What it rejects with is shown. */
  readonly act: () => Promise<unknown>;
  /** As a button, not as a link. */
  readonly heavy?: boolean;
  /** It takes nothing away: nothing of it is red. */
  readonly harmless?: boolean;
}

/** The button; once pressed the question, where the safe answer has the focus. */
export function Confirmed({ text, label, heavy, ...question }: ConfirmedProps) {
  const look = heavy ? `button ${question.harmless ? '' : 'danger'}` : 'plain';
  return (
    // Another text is another question, which the end of the one before it must not fold.
    <Unfold key={text} {...{ text, look }} {...(label === undefined ? {} : { label })}>
      {(close) => <Question {...question} close={close} />}
    </Unfold>
  );
}

type QuestionProps = Omit<ConfirmedProps, 'text' | 'label' | 'heavy'> & { readonly close: () => void };

function Question({ warning, yes, no, act, harmless, close }: QuestionProps) {
  const doing = useAct(act);
  const run = async () => {
    if (await doing.run()) close();
  };
  return (
    <span class="confirm" aria-busy={doing.isBusy}>
      {doing.failure === '' ? `${warning} ` : <span role="alert">{doing.failure} </span>}
      <button type="button" class={`button ${harmless ? 'primary' : 'danger'}`} onClick={() => void run()}>
        {yes}
      </button>{' '}
      <button type="button" class="button" onClick={close}>
        {no}
      </button>
    </span>
  );
}
