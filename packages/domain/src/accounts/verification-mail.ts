export type VerificationMailFacts = {
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
  readonly hours: number;
};

/** The mail contains no text from users, because anyone can enter any address when they sign up. */
export function verificationMail({ link, hours }: VerificationMailFacts): {
  subject: string;
  text: string;
  html: string;
} {
  const created = 'Someone created a Posthorn account with this email address.';
  const confirm = `If it was you, open this link within ${hours} hours and confirm the address:`;
  const reject =
    'If it was not you, do not confirm the address. Open the link and select “I did not sign up” to delete the account, or ignore this email. Until the address is confirmed, the account can send email to this address only.';
  return {
    subject: 'Confirm your email address',
    text: `${created} ${confirm}

${link}

${reject}
`,
    html: `<p>${created} ${confirm}</p>
<p><a href="${link}">${link}</a></p>
<p>${reject}</p>
`,
  };
}
