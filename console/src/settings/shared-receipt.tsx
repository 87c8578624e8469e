/** A receipt that its account has made public: anybody with the link reads and verifies it. */
import { answered, api } from '../data/api.ts';
import { useSource } from '../data/polled.ts';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { ReceiptCard } from './receipt-card.tsx';

const EVERY_MS = 60_000;

/** The screen at `/#/receipt/TOKEN`. */
export function SharedReceipt({ token }: { readonly token: string }) {
  const load = () => answered(api.GET('/v1/receipts/{token}', { params: { path: { token } } }));
  const source = useSource(token, load, EVERY_MS);
  return (
    <>
      <Heading title="Receipt" />
      <Shown source={source}>{(signed) => <ReceiptCard signed={signed} />}</Shown>
    </>
  );
}
