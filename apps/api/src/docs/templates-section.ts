import { limits } from '@posthorn/domain/limits';
import { formatCount } from '@posthorn/platform/values';
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
        'Provide a value for every variable that has no default. An empty string, `0` and `false` are values; `null` is not. Extra values are allowed. The value of a variable in the subject must not contain line breaks. An accepted email keeps its version of the template, even if you change or delete the template later. `POST /api/v1/templates/{id}/preview` shows what would be sent and lists the missing variables.',
    },
    {
      paragraph:
        '`POST /api/v1/templates/preview` does the same for a `subject`, `html_body` and `text_body` that are not saved, and lists their `variables`. It refuses the same content as the request that saves a template, with the same messages. The only difference is that the subject and the bodies can be empty, so that you can preview a template while you are writing it.',
    },
    {
      paragraph:
        'To give variables a default or a sample, send `variables` when you create or update the template, such as `[{"name": "first_name", "default": "there", "sample": "Ada"}]`. A variable with a default can be left out of an email. Samples only help you write templates, and are never sent. `variables` replaces all earlier defaults and samples. An update without it keeps them. Defaults belong to the version, so an accepted email keeps the defaults it was accepted with. In responses, `variables` lists every variable of the template, with `null` where nothing was declared.',
    },
    {
      paragraph: `If you do not want to write the plain text yourself, send \`"text_from_html": true\` instead of \`text_body\`, together with an \`html_body\` of up to ${formatCount(limits.derivedText.max)} characters. The text is generated once, when the template is saved. Links are shown in parentheses. Images and template comments are left out. Placeholders are kept as they are. Escaped braces such as \`&#123;&#123;name&#125;&#125;\` remain literal text, but get a space between the opening braces: \`{ {name}}\`. Without the space, the text would contain a placeholder.`,
    },
    {
      paragraph:
        '`POST /api/v1/templates/{id}/duplicate` creates a template with the same content, defaults and samples. You can send a `name` for the copy.',
    },
    {
      paragraph:
        '`GET /api/v1/templates?name=welcome` lists the templates whose name contains `welcome`. It ignores case.',
    },
    {
      paragraph:
        'Every update creates a version, unless it changes nothing. `GET /api/v1/templates/{id}/versions` lists the versions without their bodies, and `GET /api/v1/templates/{id}/versions/{version}` returns one version in full. The cursors of the list are version numbers. The newest 100 versions are kept. Older ones are kept as long as an email uses them. `POST /api/v1/templates/{id}/versions/{version}/restore` makes a new version with the content, defaults and samples of an old one. The name belongs to the template, not to its versions.',
    },
  ],
};
