/** The screen of webhooks, which is loaded when it is opened: few open it, and the page has a limit on what it loads first. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, Loading } from '../parts/states.tsx';

type View = FunctionComponent<{ readonly role: string }>;

/** The screen at `#/webhooks`. */
export function LaterWebhooks({ role }: { readonly role: string }) {
  const [view, setView] = useState<{ readonly View: View } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    import('./webhooks.tsx').then(
      ({ WebhooksView }) => setView({ View: WebhooksView }),
      () => setFailed(true),
    );
  }, []);
  if (failed) return <Failure sentence="The screen could not be loaded." retry={() => location.reload()} />;
  return view ? <view.View role={role} /> : <Loading />;
}
