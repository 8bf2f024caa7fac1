import {
  type AcceptInvitationRequest,
  type ChangeRoleRequest,
  type InviteMemberRequest,
  type ReadInvitationRequest,
  roles,
} from '@posthorn/contract';
import Joi from 'joi';
import { newEmail, password, token } from '../accounts/request.js';

const role = Joi.valid(...roles);

export const inviteMemberBody = Joi.object<InviteMemberRequest>({
  email: newEmail.required(),
  role: role.required(),
});

export const changeRoleBody = Joi.object<ChangeRoleRequest>({ role: role.required() });

export const readInvitationBody = Joi.object<ReadInvitationRequest>({ token: token.required() });

/**
 * The minimum length of the password is not checked here. It applies only to a new account, and the domain package
 * knows whether the account is new.
 */
export const acceptInvitationBody = Joi.object<AcceptInvitationRequest>({
  token: token.required(),
  password: password.required(),
});
