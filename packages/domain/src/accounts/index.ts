export { acceptInvitation, type InvitationDetails, readInvitation } from './accept-invitation.js';
export { type Caller, mayUse, type SessionCaller, toSendCaller } from './caller.js';
export { changePassword } from './change-password.js';
export { createWorkspace } from './create-workspace.js';
export { type Inviter, inviteMember, resendInvitation } from './invite-member.js';
export { KNOWN_DEVICE_DAYS, type KnownDevices, openKnownDevices } from './known-devices.js';
export { logIn } from './log-in.js';
export { type LoginLimiter, openLoginLimiter } from './login-limiter.js';
export { findOwners, listMembers, listUserWorkspaces, type Member, type OwnWorkspace } from './member-store.js';
export { type InvitationLimiter, openInvitationLimiter } from './members/invitation-limiter.js';
export { changeRole, memberNotFound, removeMember } from './members.js';
export { hashPassword } from './password-hash.js';
export { forgotPassword, type PasswordReset, resetPassword } from './password-reset.js';
export { describeRemovedAccess } from './remove-earlier-access.js';
export { type ListedSession, listSessions, sessionExists, sessionLife } from './session-store.js';
export {
  type AuthenticateSession,
  logOut,
  logOutEverywhere,
  sessionAuthenticator,
  switchWorkspace,
} from './sessions.js';
export { signUp } from './sign-up.js';
export { emailOwners, layOutMail, quoteName, type SystemMail, sendSystemMail } from './system-mail.js';
export { readAccountEmail } from './user-store.js';
export { rejectSignUp, resendVerification, verifyEmail } from './verify-email.js';
