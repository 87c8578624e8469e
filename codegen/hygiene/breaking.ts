/**
 * Which changes between two documents break callers: what they read must not be removed, change its type or become
 * optional; what they send must not be refused. Additions break nobody, unless a request must have them.
 */
import type { Fact, Surface } from './surface.ts';

/** A change that breaks callers. */
export interface Break {
  /** The operationId or the component. */
  readonly subject: string;
  readonly sentence: string;
}

/** The breaking changes from `earlier` to `now`. A removed thing is reported once, without its parts. */
export function breakingChanges(earlier: Surface, now: Surface): Break[] {
  const gone: string[] = [];
  const breaks: Break[] = [];
  const report = (place: string, what: string) =>
    breaks.push({ subject: subjectOf(place), sentence: `${place} ${what}` });
  for (const [place, before] of earlier) {
    const after = now.get(place);
    if (after) {
      for (const what of differences(before, after)) report(place, what);
    } else if (!gone.some((parent) => isPart(place, parent))) {
      gone.push(place);
      report(place, 'is gone.');
    }
  }
  for (const [place, { direction, required }] of now) {
    const isNew = direction === 'in' && required && !earlier.has(place);
    if (isNew && isKnown(earlier, place)) report(place, 'is new, and a request must have it.');
  }
  return breaks;
}

function differences(before: Fact, after: Fact): string[] {
  const [wider, narrower] = before.direction === 'in' ? [after, before] : [before, after];
  const found: string[] = [];
  if (before.type !== after.type && wider.type !== 'any') found.push(`was ${before.type} and is ${after.type}.`);
  if (before.direction === 'in' && after.required && !before.required) found.push('must be sent now.');
  if (before.direction === 'out' && before.required && !after.required) found.push('need not be there any more.');
  if (narrower.nullable && !wider.nullable) {
    found.push(before.direction === 'in' ? 'may not be null any more.' : 'may be null now.');
  }
  const lost = after.values ? (before.values ?? ['any value']).filter((value) => !after.values?.includes(value)) : [];
  if (lost.length > 0) found.push(`does not take ${lost.join(', ')} any more.`);
  return found;
}

/** Whether callers can send the parent: a required field of a new object breaks nobody. */
function isKnown(earlier: Surface, place: string): boolean {
  const parent = place.slice(0, Math.max(place.lastIndexOf('/'), place.lastIndexOf(' '))).trimEnd();
  return [...earlier.keys()].some((other) => other === parent || isPart(other, parent));
}

/** Ignores the direction: the parameters of an operation are 'in', the operation itself is 'out'. */
function isPart(place: string, whole: string): boolean {
  const [part, all] = [place.slice(DIRECTION_LENGTH), whole.slice(DIRECTION_LENGTH)];
  return part.startsWith(`${all} `) || part.startsWith(`${all}/`);
}

const DIRECTION_LENGTH = 'out '.length;

function subjectOf(place: string): string {
  return (/^(?:in|out) +#?(\w+)/.exec(place) ?? [])[1] ?? place;
}
