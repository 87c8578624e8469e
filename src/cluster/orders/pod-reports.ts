/**
 * What a gateway learns of a pod while it runs orders there, told to the gateway that owns the market: only that one
 * decides how many slots the pod has. A report that does not arrive is lost; the next failure makes another.
 */
import type { PodReport } from '#orders/ports.ts';
import type { GatewayId } from '../messages.ts';
import type { Calls } from '../peers/calls.ts';

interface PodReportsOptions {
  readonly self: GatewayId;
  /** Null while nobody owns the market. */
  readonly ownerOf: (model: string) => GatewayId | null;
  readonly calls: Pick<Calls, 'call' | 'handle'>;
  /** Takes what others report of pods of markets that this gateway owns. */
  readonly heard: (report: PodReport) => void;
}

/** Passes reports on to owners, and takes those of others; call once. */
export function podReports({ self, ownerOf, calls, heard }: PodReportsOptions): (report: PodReport) => void {
  calls.handle('pod.ended', async (params) => {
    const report = params as PodReport;
    if (ownerOf(report.model) === self) heard(report);
  });
  return (report) => {
    const owner = ownerOf(report.model);
    if (owner !== null && owner !== self) calls.call(owner, 'pod.ended', report).catch(() => {});
  };
}
