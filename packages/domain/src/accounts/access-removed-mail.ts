import { layOutMail } from './lay-out-mail.js';

/** @param removed what was removed, such as "2 API keys and 1 invitation" */
export function accessRemovedMail(removed: string) {
  return layOutMail({
    subject: 'Earlier access to your account was removed',
    before: [
      `You set a new password for your Posthorn account, which confirmed your email address for the first time. Someone else may have created the account with your address, so we removed everything that could give them access: ${removed}.`,
    ],
    after: [
      'Emails, templates and domains are unchanged. If one of your programs used a removed API key, create a new key for it.',
    ],
  });
}
