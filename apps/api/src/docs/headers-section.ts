import { reservedHeaders } from '@posthorn/domain';
import type { Section } from './section.js';

export const headersSection: Section = {
  id: 'headers',
  title: 'Custom headers',
  blocks: [
    {
      paragraph:
        '`headers` adds headers to the message. Names are printable ASCII without spaces, colons or semicolons. The headers below are refused with [validation_failed](#validation_failed), in any spelling: fields of the request or the service set them, mail servers on the way write them, or the mail server that relays the message would obey them. You can set `List-Unsubscribe`, `List-Unsubscribe-Post` and the other `List-*` headers.',
    },
    {
      head: ['Header', 'Why it is refused', 'Source'],
      rows: reservedHeaders.map(({ name, fault, source }) => ({
        cells: [`\`${name}\``, `It ${fault}.`, source],
      })),
    },
  ],
};
