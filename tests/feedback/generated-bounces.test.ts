import { findOwnFault } from './oracles/check-bounces.js';
import { generateBounces } from './oracles/generate-bounces.js';

/** `npm run test:reports` also reads them with other parsers. */
const bounces = [...generateBounces()];
const formats = [...new Set(bounces.map(({ name }) => name.split(',')[0]))];

test.each(formats)(
  'bounces in the format %s are read, whatever the reply, the recipients and the encoding',
  async (format) => {
    const faults: string[] = [];
    for (const bounce of bounces.filter(({ name }) => name.startsWith(`${format},`))) {
      const fault = await findOwnFault(bounce);
      if (fault !== null) faults.push(`${bounce.name} ${fault}`);
    }
    expect(faults).toEqual([]);
  },
);
