/** @param removed what was removed, such as "2 API keys and 1 invitation" */
export function accessRemovedMail(removed: string): { subject: string; text: string; html: string } {
  const what = `You set a new password for your Posthorn account, which confirmed your email address for the first time. Someone else may have created the account with your address, so we removed everything that could give them access: ${removed}.`;
  const rest =
    'Emails, templates and domains are unchanged. If one of your programs used a removed API key, create a new key for it.';
  return {
    subject: 'Earlier access to your account was removed',
    text: `${what}\n\n${rest}\n`,
    html: `<p>${what}</p>\n<p>${rest}</p>\n`,
  };
}
