import type { Section } from './section.js';

const EXAMPLE = `{
  "to": ["jane@example.com"],
  "subject": "Your invoice",
  "html": "<img src=\\"cid:logo\\"> See the attached file.",
  "attachments": [
    {"filename": "invoice.pdf", "content": "JVBERi0xLjcK"},
    {"filename": "logo.png", "content": "iVBORw0KGgo=", "content_id": "logo"}
  ]
}`;

export const attachmentsSection: Section = {
  id: 'attachments',
  title: 'Attachments',
  blocks: [
    {
      paragraph:
        'Each of up to 10 `attachments` has a `filename` and its `content` in base64 (RFC 4648, section 4: with padding, without line breaks). `content_type` is optional; by default, it is derived from the file extension. The whole message can be up to 10 MB, measured as it is sent: with rendered html and text, and in base64, which makes files a third larger.',
    },
    {
      language: 'json',
      code: EXAMPLE,
    },
    {
      paragraph:
        'To show an image inside `html`, give it a `content_id` and refer to it as `cid:` plus that id. Programs such as `.exe` and `.js` files are refused, because mail servers refuse whole messages that contain them. Posthorn does not fetch files: a `path` or a `url` gets a `422`.',
    },
    {
      paragraph:
        '`GET /api/v1/emails/{id}` lists the attachments with their sizes, for callers who can read content. The list is deleted together with the content of the email, and each file within a day of that, unless another email uses it too.',
    },
  ],
};
