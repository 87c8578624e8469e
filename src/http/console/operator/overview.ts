/** The gateway at a glance. */
import { type OverviewOptions, operatorOverview } from '#handlers/operator-overview.ts';
import type { MemberHandler } from '../call.ts';

/** What the handler needs. */
export interface OverviewHandlerOptions {
  readonly overview: OverviewOptions;
}

/** getOverview. */
export function overviewHandlers({ overview }: OverviewHandlerOptions): { readonly getOverview: MemberHandler } {
  return { getOverview: () => operatorOverview(overview) };
}
