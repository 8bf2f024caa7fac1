import type {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  LogInRequest,
  ResetPasswordRequest,
  SignUpRequest,
  SwitchWorkspaceRequest,
  UpdateWorkspaceRequest,
} from '@posthorn/contract';
import { limits, MIN_PASSWORD_CHARACTERS, readAccountEmail } from '@posthorn/domain';
import Joi from 'joi';
import { addressReadBy } from '../address.js';
import { listQueryOf, type PaginationQuery } from '../lists.js';
import { singleLine } from '../text.js';

export const newEmail = addressReadBy(readAccountEmail);

/** Of a log-in: what cannot be an account's is answered like what is none. */
const email = Joi.string().max(limits.address.max);

/** Of an account that is there: what would be too short today may be its password. */
export const password = Joi.string().max(limits.password.max);

const newPassword = password.min(MIN_PASSWORD_CHARACTERS);

const workspaceName = singleLine(limits.workspaceName.max).trim();

/** Of a mailed link. */
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

export const changePasswordBody = Joi.object<ChangePasswordRequest>({
  current_password: password.required(),
  new_password: newPassword.required(),
});

export const sessionsQuery = listQueryOf<PaginationQuery>();

export const updateWorkspaceBody = Joi.object<UpdateWorkspaceRequest>({ name: workspaceName.required() });

/** Which ids are workspaces, the domain says. */
export const switchWorkspaceBody = Joi.object<SwitchWorkspaceRequest>({ workspace_id: Joi.string().required() });
