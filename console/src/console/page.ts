/** What a page of the console is given. */
export interface PageProps {
  /** The role of the member: `operator`, `finance` or `viewer`. */
  readonly role: string;
  /** What follows the name of the page in the address, such as an id; empty when nothing does. */
  readonly rest: string;
}
