/** The signed receipt of an order: verified in this browser when somebody asks, and kept as a file. */
import { useSignal } from '@preact/signals';
import { sentenceOf } from '../data/polled.ts';
import type { SignatureCheck } from './verify-receipt.ts';

type State = 'new' | 'asking' | SignatureCheck | { readonly failure: string };

const TONES: Readonly<Record<string, string>> = { true: 'rise', false: 'fall', null: '' };

/** A button, and then the result of its check. It is loaded with the first click. */
export function Signature({ id }: { readonly id: string }) {
  const state = useSignal<State>('new');
  const verify = async () => {
    state.value = 'asking';
    try {
      const { verifiedReceipt } = await import('./verify-receipt.ts');
      state.value = await verifiedReceipt(id);
    } catch (error) {
      state.value = { failure: sentenceOf(error) };
    }
  };
  const at = state.value;
  if (at === 'new' || at === 'asking')
    return (
      <p>
        <button type="button" class="button" aria-busy={at === 'asking'} onClick={verify}>
          Verify the signature
        </button>
      </p>
    );
  if ('failure' in at) return <p role="alert">{at.failure}</p>;
  return (
    <p role="status" class={`verdict ${TONES[String(at.fits)]}`}>
      {at.says}{' '}
      <a
        download={`receipt-${id}.json`}
        href={`data:application/json,${encodeURIComponent(JSON.stringify(at.receipt))}`}
      >
        Save the receipt
      </a>
    </p>
  );
}
