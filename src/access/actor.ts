/** Who changes something, as the change log names it. */

/** The operator at the command line, where nobody signs in. */
export const COMMAND_LINE = 'command line';

/** A member who acts on the account that it belongs to. */
export interface AccountActor {
  readonly email: string;
  readonly accountId: string;
}

/** A signed-in member, whose `accountId` is null for a member of the operator, or the operator at the command line. */
export type Actor = { readonly email: string; readonly accountId: string | null } | typeof COMMAND_LINE;

/** Whether the operator acts: a member of the operator, or the command line. */
export function isOperator(by: Actor): boolean {
  return by === COMMAND_LINE || by.accountId === null;
}
