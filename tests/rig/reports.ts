type ReportedRecipient = {
  readonly address: string;
  readonly action?: 'failed' | 'delayed' | 'delivered' | 'relayed';
  readonly status?: string;
  readonly diagnostic?: string;
};

const CRLF = '\r\n';

/** A bounce as Postfix writes it (RFC 3464), about one or more recipients. */
export function dsn(...recipients: ReportedRecipient[]): string {
  const fields = recipients.map(({ address, action = 'failed', status = '5.1.1', diagnostic }) =>
    [
      `Final-Recipient: rfc822; ${address}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${diagnostic ?? `550 ${status} No such user here`}`,
      '',
    ].join(CRLF),
  );
  return multipart('delivery-status', [
    part('text/plain', 'Your message could not be delivered.'),
    part('message/delivery-status', ['Reporting-MTA: dns; mx.example.net', '', ...fields].join(CRLF)),
  ]);
}

/**
 * A complaint (RFC 5965) that hides the recipient, about a message with this envelope sender.
 * @param forwarder the envelope sender of a server that forwarded the message
 * @param from the address of the provider
 */
export function complaint(
  returnPath: string,
  { type = 'abuse', forwarder = '', from = 'mailer-daemon@mx.example.net' } = {},
): string {
  const fields = [`Feedback-Type: ${type}`, 'User-Agent: Test/1.0', 'Version: 1'];
  if (forwarder !== '') fields.push(`Original-Mail-From: <${forwarder}>`);
  const parts = [
    part('text/plain', 'This is an email abuse report.'),
    part('message/feedback-report', [...fields, ''].join(CRLF)),
    part('message/rfc822', [`Return-Path: <${returnPath}>`, 'Subject: Hello', '', 'Hi'].join(CRLF)),
  ];
  return multipart('feedback-report', parts, from);
}

function multipart(type: string, parts: string[], from = 'mailer-daemon@mx.example.net'): string {
  return [
    `From: Mail Delivery System <${from}>`,
    'Subject: Report',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="=_b"`,
    '',
    ...parts.map((each) => `--=_b${CRLF}${each}`),
    '--=_b--',
    '',
  ].join(CRLF);
}

function part(type: string, body: string): string {
  return [`Content-Type: ${type}`, '', body].join(CRLF);
}
