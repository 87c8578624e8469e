/**
 * A message in words, for people who read it in Slack or as mail. Names of keys, models and pods are somebody's own text:
 * they come without signs that control anything, and shortened.
 */
import type { AlertFacts } from '#storage/journal/webhook-event.ts';

/** One line, and what there is to say. */
export interface Words {
  readonly title: string;
  readonly sentence: string;
}

const NAME_LENGTH_MAX = 80;

/** The words of a message as the outbox has it. */
export function wordsOf(body: string): Words {
  const { type, data } = JSON.parse(body);
  switch (type) {
    case 'alert.fired':
      return { title: `Alert: ${titleOf(data)}`, sentence: seen(data) };
    case 'alert.resolved':
      return { title: `Over: ${titleOf(data)}`, sentence: `This has been over for five minutes. ${seen(data)}` };
    case 'pod.down':
      return { title: `Alert: pod ${named(data.id)} is down`, sentence: 'It gets no orders until it answers again.' };
    case 'pod.up':
      return { title: `Over: pod ${named(data.id)} is up`, sentence: 'It gets orders again.' };
    case 'mail.confirm':
      return {
        title: 'Confirm this address for alerts',
        sentence:
          'Somebody asked for alerts to be sent here. Nothing is sent unless you agree. If you do not know why, do nothing.',
      };
    default:
      return { title: 'A test', sentence: 'Alerts come here.' };
  }
}

/** What a message as the outbox has it is about, by name; null where that has only an id. */
export function aboutOf(body: string): string | null {
  const { data } = JSON.parse(body);
  switch (data.object) {
    case 'alert':
      return titleOf(data);
    case 'order':
      return named(data.model);
    case 'price':
      return `${named(data.model)} at ${usd(data.threshold_usd)}`;
    case 'balance':
      return `balance below ${usd(data.below_usd)}`;
    case 'key':
      return `key ${named(data.name)}`;
    case 'pod':
      return `pod ${named(data.id)}`;
    default:
      return null;
  }
}

function titleOf(facts: AlertFacts<number>): string {
  const { subject, direction, bound } = facts;
  switch (subject) {
    case 'price':
      return `${named(facts.model)} ${direction} ${usd(bound)}`;
    case 'balance':
      return `balance below ${usd(bound)}`;
    case 'budget':
      return `${share(bound)} of the budget of ${named(facts.key)}`;
    case 'errors':
      return `${share(bound)} of orders fail`;
  }
}

function seen(facts: AlertFacts<number>): string {
  const { subject, value } = facts;
  switch (subject) {
    case 'price':
      return `The level of ${named(facts.model)} is ${usd(value)} per 1M input tokens at the reference mix.`;
    case 'balance':
      return `The balance is ${usd(value)}.`;
    case 'budget':
      return `The key ${named(facts.key)} has spent ${share(value)} of its budget in this period.`;
    case 'errors':
      return `Of the orders of the last 15 minutes ${share(value)} failed.`;
  }
}

/** All digits that matter, without an exponent. */
function usd(amount: number): string {
  const text = amount.toFixed(9).replace(/0+$/, '');
  const [whole = '0', decimals = ''] = text.split('.');
  return `$${whole}.${decimals.padEnd(2, '0')}`;
}

function share(part: number): string {
  return `${Number((part * 100).toFixed(2))} %`;
}

function named(name: unknown): string {
  const text = String(name ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}…` : text;
}
