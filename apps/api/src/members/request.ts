import type {
  AcceptInvitationRequest,
  ChangeRoleRequest,
  InviteMemberRequest,
  ReadInvitationRequest,
} from '@posthorn/contract';
import Joi from 'joi';
import { newEmail, password, token } from '../accounts/request.js';

const role = Joi.valid('owner', 'member');

export const inviteMemberBody = Joi.object<InviteMemberRequest>({
  email: newEmail.required(),
  role: role.required(),
});

export const changeRoleBody = Joi.object<ChangeRoleRequest>({ role: role.required() });

export const readInvitationBody = Joi.object<ReadInvitationRequest>({ token: token.required() });

/** Without a minimum length, which only applies to a new account. The domain package knows whether it is new. */
export const acceptInvitationBody = Joi.object<AcceptInvitationRequest>({
  token: token.required(),
  password: password.required(),
});
