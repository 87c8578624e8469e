/** What an order sent, where its account has that kept, and the way to send it again. */
import { useState } from 'preact/hooks';
import { useAct } from '../parts/act.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { granted, type Schemas, settings } from './session.ts';

/** For members who may send requests. */
export function Payload({ order: { id, model } }: { readonly order: Schemas['Order'] }) {
  const [text, setText] = useState<string | null>(null);
  const read = useAct(async () => {
    const { body } = await granted(settings.GET('/settings/api/orders/{id}/request', { params: { path: { id } } }));
    setText(JSON.stringify(body, null, 2));
  });
  return (
    <section class="panel unprinted" aria-label="Request">
      <h2>Request</h2>
      {text !== null && <ScrolledCode kind="call" text={text} />}
      <p class="row">
        {text === null && (
          <button type="button" class="button" aria-busy={read.isBusy} onClick={() => void read.run()}>
            Show what was sent
          </button>
        )}
        <a class="button" href={`/#/playground?${new URLSearchParams({ model })}`}>
          Repeat in the playground
        </a>
      </p>
      {read.failure && <p role="alert">{read.failure}</p>}
    </section>
  );
}
