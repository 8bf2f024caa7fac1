/** @param link holds nothing that HTML would have to escape */
export function resetMail(link: string): { subject: string; text: string; html: string } {
  return {
    subject: 'Reset your password',
    text: `Somebody asked to reset the password of your Posthorn account. To set a new one, open this link within an hour:

${link}

It works once. If it was not you, do nothing: your password stays as it is.
`,
    html: `<p>Somebody asked to reset the password of your Posthorn account. To set a new one, open this link within an hour:</p>
<p><a href="${link}">${link}</a></p>
<p>It works once. If it was not you, do nothing: your password stays as it is.</p>
`,
  };
}
