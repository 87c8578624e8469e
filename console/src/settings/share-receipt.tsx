/** The public link to a receipt: made, copied and revoked here. */
import { useAct } from '../parts/act.tsx';
import { Copy } from '../parts/source.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, settings } from './session.ts';

interface ShareReceiptProps {
  readonly id: string;
  /** Null while there is no link. */
  readonly token: string | null;
  readonly onChanged: () => Promise<void>;
}

/** For members who may change something. */
export function ShareReceipt({ id, token, onChanged }: ShareReceiptProps) {
  const path = { params: { path: { id } } };
  const share = useAct(async () => {
    await granted(settings.PUT('/settings/api/orders/{id}/receipt-link', path));
    await onChanged();
  });
  const revoke = async () => {
    await granted(settings.DELETE('/settings/api/orders/{id}/receipt-link', path));
    await onChanged();
  };
  const link = `${location.origin}/#/receipt/${token}`;
  return (
    <section class="panel unprinted" aria-label="Public link">
      <h2>Public link</h2>
      {token === null ? (
        <>
          <p>Everybody with the link sees this receipt and can verify it. It shows no prompt, account or key.</p>
          <button type="button" class="button" aria-busy={share.isBusy} onClick={() => void share.run()}>
            Make a public link
          </button>
          {share.failure && <p role="alert">{share.failure}</p>}
        </>
      ) : (
        <p class="row">
          <a class="path" href={link}>
            {link}
          </a>
          <Copy text={link} label="Copy the link" />
          <Confirmed
            text="Revoke"
            label="Revoke the public link"
            warning="It shows nothing any more."
            yes="Revoke it"
            no="Keep it"
            act={revoke}
          />
        </p>
      )}
    </section>
  );
}
