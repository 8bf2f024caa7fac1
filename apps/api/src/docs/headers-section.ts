import { reservedHeaders } from '@posthorn/domain/format';
import type { Section } from './section.js';

export const headersSection: Section = {
  id: 'headers',
  title: 'Custom headers',
  blocks: [
    {
      paragraph:
        '`headers` adds headers to the message. Names are printable ASCII without spaces, colons or semicolons. The headers below are refused with [validation_failed](#validation_failed), regardless of case. They are set by other fields or by the service, added by mail servers in transit, or obeyed as commands by relays and other mail servers. You can set the `List-*` headers, but not `List-Unsubscribe` and `List-Unsubscribe-Post` in an email with [unsubscribe](#unsubscribe), because the service writes them.',
    },
    {
      head: ['Header', 'Why it is refused', 'Source'],
      rows: reservedHeaders.map(({ name, fault, source }) => ({
        cells: [`\`${name}\``, `It ${fault}.`, source],
      })),
    },
  ],
};
