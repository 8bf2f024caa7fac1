/** @param link must have no characters that need escaping in HTML */
export function resetMail(link: string): { subject: string; text: string; html: string } {
  return {
    subject: 'Reset your password',
    text: `We received a request to reset the password of your Posthorn account. To set a new password, open this link within one hour:

${link}

The link works once. If you did not request it, ignore this email. Your password stays the same.
`,
    html: `<p>We received a request to reset the password of your Posthorn account. To set a new password, open this link within one hour:</p>
<p><a href="${link}">${link}</a></p>
<p>The link works once. If you did not request it, ignore this email. Your password stays the same.</p>
`,
  };
}
