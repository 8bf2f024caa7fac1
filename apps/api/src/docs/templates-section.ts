import type { Section } from './section.js';

export const templates: Section = {
  id: 'templates',
  title: 'Templates',
  blocks: [
    {
      paragraph:
        'A template has a `name`, a `subject`, an `html_body` and a `text_body`. `{{name}}` stands for the value of that name in `template_vars`; names are letters, digits, `_`, `-` and `.`. Values are strings, numbers or booleans. In `html_body`, and only there, they are escaped; `{{{name}}}` and `{{&name}}` insert HTML as it is, so use them for trusted values alone. `{{! a comment }}` leaves nothing. Sections, partials and other delimiters are refused when the template is saved, with line and column of the fault.',
    },
    {
      paragraph:
        'Every variable must be given: an empty string, `0` and `false` are values, `null` is not; values that the template does not use are allowed. A variable in the subject must not hold line breaks. The version of the template is fixed when the email is accepted: a later change or deletion does not touch it. `POST /api/v1/templates/{id}/preview` shows what would be sent, and lists what is missing.',
    },
    {
      paragraph:
        '`POST /api/v1/templates/preview` shows the same for a `subject`, `html_body` and `text_body` that are not saved, and lists their `variables`. It refuses what saving would refuse, in the same words, but for empty texts: somebody may still be typing.',
    },
    {
      paragraph:
        'Every change makes a version; a change that changes nothing makes none. `GET /api/v1/templates/{id}/versions` lists them without bodies, `GET /api/v1/templates/{id}/versions/{version}` shows one whole. The numbers of the versions are the cursors of that list. To go back to a version, `PATCH` the template with its texts: that makes a new one. The name belongs to the template, not to its versions.',
    },
  ],
};
