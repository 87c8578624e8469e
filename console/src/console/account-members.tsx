/** The members of an account, whom the operator may invite and remove. */
import { useState } from 'preact/hooks';
import { useSource } from '../data/polled.ts';
import { Moment } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { Confirmed } from '../settings/confirmed.tsx';
import { InvitationLink } from '../settings/invitation-link.tsx';
import { KnownKeys } from '../settings/known-keys.tsx';
import { RowForm } from '../settings/row-form.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

const EVERY_MS = 15_000;
const ROLES = ['owner', 'developer', 'viewer'] as const;

type Invited = Schemas['InvitedMember'];
type Removed = Pick<Schemas['RemovedMember'], 'keys'> & { readonly email: string };

interface MembersOfAccountProps {
  readonly id: string;
  readonly mayChange: boolean;
}

/** The section of the account's page. */
export function MembersOfAccount({ id, mayChange }: MembersOfAccountProps) {
  const load = () => granted(settings.GET('/console/api/accounts/{id}/members', { params: { path: { id } } }));
  const source = useSource(id, load, EVERY_MS);
  const [invited, setInvited] = useState<Invited | null>(null);
  const [removed, setRemoved] = useState<Removed | null>(null);
  const remove = async ({ member_id: member, email }: Schemas['ListedMember']) => {
    const options = { params: { path: { id, member } } };
    const { keys } = await granted(settings.DELETE('/console/api/accounts/{id}/members/{member}', options));
    if (invited?.member_id === member) setInvited(null);
    setRemoved({ email, keys });
    await source.again();
  };
  return (
    <section>
      <h2>Members</h2>
      {invited && <InvitationLink of={invited} onDone={() => setInvited(null)} />}
      {removed && (
        <KnownKeys
          key={removed.email}
          {...removed}
          revoke={(key) =>
            granted(settings.DELETE('/console/api/accounts/{id}/keys/{key}', { params: { path: { id, key } } }))
          }
        />
      )}
      <Shown source={source} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nobody may sign in to its settings yet. Invite an owner.</Empty>
          ) : (
            <MemberTable members={data} remove={mayChange ? remove : null} />
          )
        }
      </Shown>
      {mayChange && (
        <InviteForm
          id={id}
          onInvited={(one) => {
            setInvited(one);
            void source.again();
          }}
        />
      )}
    </section>
  );
}

interface MemberTableProps {
  readonly members: readonly Schemas['ListedMember'][];
  /** Null for those who may only look. */
  readonly remove: ((member: Schemas['ListedMember']) => Promise<void>) | null;
}

function MemberTable({ members, remove }: MemberTableProps) {
  return (
    <DataTable
      label="Members"
      rows={members}
      keyOf={({ member_id }) => member_id}
      columns={[
        { head: 'Member', cell: ({ email }) => email },
        { head: 'Role', cell: ({ role }) => role },
        { head: 'Since', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
        remove !== null && {
          ...{ head: 'Changes', unheaded: true, number: true },
          cell: (member) => (
            <Confirmed
              text="Remove"
              label={`Remove ${member.email}`}
              warning="Every session of this member ends at once."
              yes="Remove"
              no="Keep"
              act={() => remove(member)}
            />
          ),
        },
      ]}
    />
  );
}

function InviteForm({ id, onInvited }: { readonly id: string; readonly onInvited: (invited: Invited) => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]>('owner');
  const invite = async () => {
    const options = { params: { path: { id } }, body: { email, role } };
    onInvited(await granted(settings.POST('/console/api/accounts/{id}/members', options)));
    setEmail('');
  };
  return (
    <RowForm label="Invite" act={invite}>
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
        <select
          value={role}
          onChange={({ currentTarget }) => setRole(ROLES.find((name) => name === currentTarget.value) ?? 'viewer')}
        >
          {ROLES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </RowForm>
  );
}
