import { TOPIC_EXPECTED } from '../validation/fields.js';
import type { Section } from './section.js';

export const unsubscribeSection: Section = {
  id: 'unsubscribe',
  title: 'Unsubscribe links',
  blocks: [
    {
      paragraph: `Set \`unsubscribe\` for mail that the recipient can unsubscribe from, such as a newsletter. Its \`topic\` is a name of yours for this kind of mail: ${TOPIC_EXPECTED}.`,
    },
    {
      code: JSON.stringify(
        {
          to: ['jane@example.com'],
          subject: 'News in November',
          html: '<p>...</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
          unsubscribe: { topic: 'newsletter' },
        },
        null,
        2,
      ),
      language: 'json',
    },
    {
      list: [
        'The email must have exactly one recipient, because the link unsubscribes only one. Send each recipient an email of their own, for example in a [batch](#sending).',
        'The message gets the headers `List-Unsubscribe` and `List-Unsubscribe-Post` (RFC 8058), which the DKIM signature covers. Gmail, Yahoo, Apple Mail and others then show their own button. You cannot also set these headers yourself.',
        '`{{unsubscribe_url}}` in `html` and `text` becomes the link. In a raw email, nothing else is replaced, and only this exact spelling. In a template, it is a variable like any other, but the service sets it, so it must not be in `template_vars`. Without `unsubscribe`, a template with this variable needs a value for it, and a raw email is sent as it is. `GET /api/v1/emails/{id}` shows a raw email with the placeholder, so that you can send it again to somebody else; the message has the link. A visible link in every such email is also what Gmail and Yahoo demand.',
        'Receipts, passwords and other mail that everyone must get should not have `unsubscribe`. Recipients get it whatever they have unsubscribed from.',
      ],
    },
    {
      paragraph:
        'The link is `/u/{token}` at the address of this server. When a mail program posts to it, the recipient is suppressed for the topic, and the email gets the event `email.unsubscribed`, once. What the recipient changes later on the page is no event; to copy it to your lists, read `GET /api/v1/suppressions?reason=unsubscribe`. Later emails of the topic to this address end as `suppressed`, and their sends are refunded. A `GET` changes nothing, because scanners open every link. It shows a page, in English, German, French or Spanish, on which recipients can leave the topic or all topics, and undo that. The page shows the name of your workspace.',
    },
    {
      paragraph:
        'Links do not expire and still work after the email has been deleted. In test mail, they lead to an event, but suppress nobody. `POST /api/v1/emails/check` shows a link of the same length that leads nowhere. Anyone who has the message can use its link, so do not publish the message of a live email.',
    },
  ],
};
