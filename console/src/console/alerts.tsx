/** Where the operator learns that a pod went down or came back. */
import { useEffect } from 'preact/hooks';
import { Heading } from '../parts/heading.tsx';
import { Targets, targets } from '../settings/alert-targets.tsx';
import type { PageProps } from './page.ts';

/** The page at `#/alerts`. */
export function AlertsPage({ role }: PageProps) {
  useEffect(() => targets.start(), []);
  return (
    <>
      <Heading title="Alerts" />
      <p>Each target gets a message when a pod goes down and when it is back.</p>
      <Targets mayChange={role === 'operator'} none="Nobody gets a message yet. Add a target above." />
    </>
  );
}
