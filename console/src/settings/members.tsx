/** Who may sign in to the settings of the account. Owners invite with a link that is shown once; nothing is mailed. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Moment } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { DataTable } from '../parts/table.tsx';
import { say } from '../parts/toast.tsx';
import { Confirmed } from './confirmed.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { KnownKeys } from './known-keys.tsx';
import { RowForm } from './row-form.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 15_000;
const ROLES = {
  owner: 'everything',
  developer: 'keys and orders, no money',
  viewer: 'looks on',
} as const;

type Role = keyof typeof ROLES;
type Invited = Schemas['InvitedMember'];
type Removed = Pick<Schemas['RemovedMember'], 'keys'> & { readonly email: string };

const members = polled(() => granted(settings.GET('/settings/api/members')), EVERY_MS);

const again = () => members.again();

/** The screen at `#/members`. */
export function MembersView({ role, email }: { readonly role: string; readonly email: string }) {
  useEffect(() => members.start(), []);
  const [invited, setInvited] = useState<Invited | null>(null);
  const [removed, setRemoved] = useState<Removed | null>(null);
  const mayChange = role === 'owner';
  const made = (one: Invited) => {
    setInvited(one);
    void again();
  };
  const remove = async ({ member_id: id, email: address }: Schemas['ListedMember']) => {
    const { keys } = await granted(settings.DELETE('/settings/api/members/{id}', { params: { path: { id } } }));
    if (invited?.member_id === id) setInvited(null);
    setRemoved({ email: address, keys });
    say(`${address} is removed; its sessions and its keys have ended.`);
    await again();
  };
  return (
    <>
      <Heading title="Members" />
      {invited && (
        <InvitationLink of={invited} onDone={() => setInvited(null)}>
          <p class="faint small">
            An address belongs to one account: a member of another account cannot use the link and needs another
            address.
          </p>
        </InvitationLink>
      )}
      {mayChange && <InviteForm onInvited={made} />}
      {removed && (
        <KnownKeys
          key={removed.email}
          {...removed}
          revoke={(id) => granted(settings.DELETE('/settings/api/keys/{id}', { params: { path: { id } } }))}
        />
      )}
      <Shown source={members}>{({ data }) => <MemberTable data={data} {...{ mayChange, email, remove }} />}</Shown>
    </>
  );
}

function InviteForm({ onInvited }: { readonly onInvited: (invited: Invited) => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const invite = async () => {
    onInvited(await granted(settings.POST('/settings/api/members', { body: { email, role } })));
    setEmail('');
  };
  return (
    <RowForm
      label="Invite"
      look="primary"
      act={invite}
      hint="Inviting a member again gives it this role, and a new link until it has signed in."
    >
      <label>
        E-mail{' '}
        <input
          type="email"
          required
          maxLength={254}
          value={email}
          onInput={({ currentTarget }) => setEmail(currentTarget.value)}
        />
      </label>
      <label>
        Role{' '}
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}>
          {Object.entries(ROLES).map(([name, may]) => (
            <option key={name} value={name}>
              {name}: {may}
            </option>
          ))}
        </select>
      </label>
    </RowForm>
  );
}

interface MemberTableProps {
  readonly data: readonly Schemas['ListedMember'][];
  readonly mayChange: boolean;
  readonly email: string;
  readonly remove: (member: Schemas['ListedMember']) => Promise<void>;
}

function MemberTable({ data, mayChange, email, remove }: MemberTableProps) {
  return (
    <DataTable
      label="Members"
      rows={data}
      keyOf={({ member_id }) => member_id}
      columns={[
        { head: 'E-mail', cell: (member) => member.email },
        { head: 'Role', cell: ({ role }) => role },
        { head: 'Since', room: 'some', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
        mayChange && {
          ...{ head: 'Remove', unheaded: true, number: true },
          cell: (member) =>
            member.email === email ? (
              <span class="faint">you</span>
            ) : (
              <Confirmed
                text="Remove"
                label={`Remove ${member.email}`}
                warning="Its sessions and the keys that it owns end at once."
                yes="Remove it"
                no="Keep it"
                act={() => remove(member)}
              />
            ),
        },
      ]}
    />
  );
}
