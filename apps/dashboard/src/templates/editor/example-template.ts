import type { TemplateTexts } from '@posthorn/contract';

/** A working template to start from. */
export const exampleTemplate: TemplateTexts = {
  name: 'Welcome',
  subject: 'Welcome to {{company}}, {{first_name}}',
  html_body: `<!doctype html>
<html>
  <body style="margin: 0; padding: 24px; background: #f4f5f7; font-family: sans-serif; color: #1f2430">
    <table role="presentation" align="center" width="100%" style="max-width: 560px; background: #ffffff; border-radius: 8px">
      <tr>
        <td style="padding: 32px">
          <h1 style="margin: 0 0 16px; font-size: 22px">Welcome, {{first_name}}</h1>
          <p style="line-height: 1.5">Your account at {{company}} is ready.</p>
          <p style="margin: 24px 0">
            <a href="{{login_url}}" style="padding: 12px 20px; border-radius: 6px; background: #1b3773; color: #ffffff; text-decoration: none">Log in</a>
          </p>
          <p style="line-height: 1.5">If you did not create this account, you can ignore this email.</p>
        </td>
      </tr>
    </table>
  </body>
</html>
`,
  text_body: `Welcome, {{first_name}}

Your account at {{company}} is ready. Log in here:
{{login_url}}

If you did not create this account, you can ignore this email.
`,
};
