import type {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  LogInRequest,
  RejectSignUpRequest,
  ResetPasswordRequest,
  SignUpRequest,
  SwitchWorkspaceRequest,
  UpdateWorkspaceRequest,
  VerifyEmailRequest,
} from '@posthorn/contract';
import { readAccountEmail } from '@posthorn/domain/accounts';
import { limits, MIN_PASSWORD_CHARACTERS } from '@posthorn/domain/limits';
import type { WorkspaceChange } from '@posthorn/domain/workspaces';
import Joi from 'joi';
import { addressSchema } from '../fields/address.js';
import { displayedName } from '../fields/text.js';
import { listQueryOf, type PaginationQuery } from '../lists.js';

export const newEmail = addressSchema(readAccountEmail);

/** Not validated as an address, so that an invalid one gets the same response as an unknown one. */
const email = Joi.string().max(limits.address.max);

/**
 * The password of an existing account. It has no minimum length, because the minimum may have been lower when the
 * password was set.
 */
export const password = Joi.string().max(limits.password.max);

const newPassword = password.min(MIN_PASSWORD_CHARACTERS);

const workspaceName = displayedName(limits.workspaceName.max);

/** The token in an emailed link. */
export const token = Joi.string().max(100);

export const signUpBody = Joi.object<SignUpRequest>({
  email: newEmail.required(),
  password: newPassword.required(),
  workspace_name: workspaceName,
});

export const logInBody = Joi.object<LogInRequest>({
  email: email.required(),
  password: password.required(),
});

export const forgotPasswordBody = Joi.object<ForgotPasswordRequest>({
  email: email.required(),
});

export const resetPasswordBody = Joi.object<ResetPasswordRequest>({
  token: token.required(),
  password: newPassword.required(),
});

export const verifyEmailBody = Joi.object<VerifyEmailRequest>({ token: token.required() });

export const rejectSignUpBody = Joi.object<RejectSignUpRequest>({ token: token.required() });

export const changePasswordBody = Joi.object<ChangePasswordRequest>({
  current_password: password.required(),
  new_password: newPassword.required(),
});

export const sessionsQuery = listQueryOf<PaginationQuery>();

const retentionDays = Joi.number().integer().min(1).allow(null);

export const updateWorkspaceBody = Joi.object<UpdateWorkspaceRequest>({
  name: workspaceName,
  content_retention_days: retentionDays,
  email_retention_days: retentionDays,
})
  .min(1)
  .messages({ 'object.min': 'must have at least one of name, content_retention_days and email_retention_days' });

/** Contains only the fields that are in the request. */
export function toWorkspaceChange(body: UpdateWorkspaceRequest): WorkspaceChange {
  const { name, content_retention_days: contentDays, email_retention_days: emailDays } = body;
  return {
    ...(name !== undefined && { name }),
    ...(contentDays !== undefined && { contentDays }),
    ...(emailDays !== undefined && { emailDays }),
  };
}

/** The domain package checks that the user belongs to the workspace. */
export const switchWorkspaceBody = Joi.object<SwitchWorkspaceRequest>({
  workspace_id: Joi.string().max(limits.idInBody.max).required(),
});
