import type { ForgotPasswordRequest, LogInRequest, ResetPasswordRequest, SignUpRequest } from '@posthorn/contract';
import { limits, MIN_PASSWORD, readAccountEmail } from '@posthorn/domain';
import Joi from 'joi';
import { addressReadBy } from '../address.js';
import { singleLine } from '../text.js';

const newEmail = addressReadBy(readAccountEmail);

/** Of a log-in: what cannot be an account's is answered like what is none. */
const email = Joi.string().max(limits.address.max);

const newPassword = Joi.string().min(MIN_PASSWORD).max(limits.password.max);

export const signUpBody = Joi.object<SignUpRequest>({
  email: newEmail.required(),
  password: newPassword.required(),
  workspace_name: singleLine(limits.workspaceName.max).trim(),
});

export const logInBody = Joi.object<LogInRequest>({
  email: email.required(),
  password: Joi.string().max(limits.password.max).required(),
});

export const forgotPasswordBody = Joi.object<ForgotPasswordRequest>({
  email: email.required(),
});

export const resetPasswordBody = Joi.object<ResetPasswordRequest>({
  token: Joi.string().max(100).required(),
  password: newPassword.required(),
});
