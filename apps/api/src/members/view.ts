import type { Invitation as InvitationJson, Member as MemberJson } from '@posthorn/contract';
import type { InvitationDetails, Member } from '@posthorn/domain/accounts';

export function viewMember(member: Member, now: Date): MemberJson {
  return {
    object: 'member',
    id: member.id,
    email: member.email,
    role: member.role,
    status: statusOf(member, now),
    created_at: member.createdAt.toISOString(),
    expires_at: member.expiresAt?.toISOString() ?? null,
  };
}

function statusOf({ expiresAt }: Member, now: Date): MemberJson['status'] {
  if (expiresAt === null) return 'active';
  return expiresAt > now ? 'invited' : 'expired';
}

export function viewInvitation({ invitation, hasAccount }: InvitationDetails): InvitationJson {
  return {
    object: 'invitation',
    email: invitation.email,
    role: invitation.role,
    workspace: { name: invitation.workspaceName },
    has_account: hasAccount,
    expires_at: invitation.expiresAt.toISOString(),
  };
}
