import type { Section } from './section.js';

export const templatesSection: Section = {
  id: 'templates',
  title: 'Templates',
  blocks: [
    {
      paragraph:
        'A template has a `name`, a `subject`, an `html_body` and a `text_body`. `{{name}}` is replaced with the value of `name` in `template_vars`. Names can contain letters, digits, `_`, `-` and `.`. Values are strings, numbers or booleans. They are escaped in `html_body`, and only there. `{{{name}}}` and `{{&name}}` insert HTML without escaping, so use them only for values you trust. `{{! a comment }}` is left out. Sections, partials and other delimiters are refused when you save the template, with the line and column of the error.',
    },
    {
      paragraph:
        'Provide a value for every variable. An empty string, `0` and `false` are values; `null` is not. Extra values are allowed. The value of a variable in the subject must not contain line breaks. An accepted email keeps its version of the template, even if you change or delete the template later. `POST /api/v1/templates/{id}/preview` shows what would be sent and lists the missing variables.',
    },
    {
      paragraph:
        '`POST /api/v1/templates/preview` does the same for a `subject`, `html_body` and `text_body` that are not saved, and lists their `variables`. It refuses the same content as the request that saves a template, with the same messages. The only difference is that the subject and the bodies can be empty, so that you can preview a template while you are writing it.',
    },
    {
      paragraph:
        '`GET /api/v1/templates?name=welcome` lists the templates whose name contains `welcome`. It ignores case.',
    },
    {
      paragraph:
        'Every update creates a version, unless it changes nothing. `GET /api/v1/templates/{id}/versions` lists the versions without their bodies, and `GET /api/v1/templates/{id}/versions/{version}` returns one version in full. The cursors of the list are version numbers. The newest 100 versions are kept. Older ones are kept as long as an email uses them. To restore a version, `PATCH` the template with the subject and the bodies of that version, which creates a new version. The name belongs to the template, not to its versions.',
    },
  ],
};
