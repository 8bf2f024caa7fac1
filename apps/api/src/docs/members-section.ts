import type { Section } from './section.js';

export const membersSection: Section = {
  id: 'members',
  title: 'Workspaces and members',
  blocks: [
    {
      paragraph:
        'Everything belongs to a workspace. `GET /api/v1/workspace` returns the workspace of the session or key. A workspace has owners and members. Only owners can manage members, keys and domains, or change the workspace. Members can do everything else.',
    },
    {
      paragraph:
        '`POST /api/v1/members` with an `email` and a `role` (`owner` or `member`) sends an invitation by email. The invited person does not need an account, and invitations work even when sign-up is closed.',
    },
    {
      paragraph:
        'After a sign-up, the service emails a link that confirms the address. Until the address is confirmed, the account cannot invite anyone, and its workspace can send to that address only: [account_not_verified](#account_not_verified). The token in the link works once and expires after 24 hours. `POST /auth/verify-email` with the `token` confirms the address. If someone else signed up with your address, `POST /auth/reject-signup` with the `token` deletes the account. `POST /auth/resend-verification` emails another link. Setting a new password with a reset link or accepting an invitation confirms the address too. Accounts that the operator creates are confirmed from the start. `user.email_verified` in `GET /auth/session` shows whether the address is confirmed.',
    },
    {
      list: [
        '`GET /api/v1/members` lists invitations and members. `status` is `active`, `invited`, or `expired` once the link no longer works. `PATCH` changes the role and `DELETE` removes the member or the invitation. `POST /api/v1/members/{id}/resend` emails a new link.',
        'The link contains a token that works once. `POST /auth/invitation` with the `token` returns the workspace and whether the address has an account. `POST /auth/accept-invitation` with the `token` and a `password` joins the workspace and logs the user in. If the address has an account, `password` must be its password. Otherwise, `password` becomes the password of a new account. The invitation and the new member have different ids.',
        'A role change takes effect at once. Removing a member ends their sessions in that workspace at once. API keys belong to the workspace, so they keep working. Any member can leave by removing themselves, except the last owner: [conflict](#conflict).',
        'A user can belong to several workspaces. A session uses one of them at a time. After login, that is the one you joined first. `GET /auth/workspaces` lists your workspaces with your role in each. `POST /auth/switch` with a `workspace_id` switches to another one.',
        '`PATCH /api/v1/workspace` renames the workspace, or sets how long its emails are kept. `content_retention_days` is the number of days until the bodies, variables, headers, `cc`, `bcc` and `reply_to` of an email are deleted; after that, `content_removed` is true for that email. `email_retention_days` is the number of days until the email itself is deleted. Both are counted from the time the email was accepted. No part of an email is deleted before the email has a final status. To use the server-wide setting, send `null`.',
        '`POST /auth/password` changes your password and ends all your other sessions. `GET /auth/sessions` lists your sessions, and `DELETE /auth/sessions` ends all of them.',
      ],
    },
  ],
};
