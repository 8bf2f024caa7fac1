import fc from 'fast-check';
import { dedupeRecipients, toGivenPosition } from '../../src/accepting/send-request.js';
import { type Address, parseAddress, toAddressKey } from '../../src/format/address.js';

const parseAll = (...texts: string[]) => texts.map(parseAddress);

describe('dedupeRecipients', () => {
  test('keeps the first of several spellings of an address, with its display name', () => {
    const to = parseAll('Jane <jane@example.com>', 'JANE@Example.com', 'bob@example.com');
    expect(dedupeRecipients({ to, cc: [], bcc: [] }).to).toEqual(
      parseAll('Jane <jane@example.com>', 'bob@example.com'),
    );
  });

  test('drops an address from cc or bcc if an earlier field contains it', () => {
    const recipients = dedupeRecipients({
      to: parseAll('a@example.com'),
      cc: parseAll('b@example.com', 'a@example.com'),
      bcc: parseAll('B@example.com', 'c@example.com', 'A@example.com'),
    });
    expect(recipients).toMatchObject({
      to: parseAll('a@example.com'),
      cc: parseAll('b@example.com'),
      bcc: parseAll('c@example.com'),
    });
  });

  test('treats the Unicode and ASCII forms of a domain as the same', () => {
    const to = parseAll('jane@bücher.example', 'jane@xn--bcher-kva.example');
    expect(dedupeRecipients({ to, cc: [], bcc: [] }).to).toHaveLength(1);
  });

  test('keeps each address once, in the given order, for any input', () => {
    const addresses = fc.array(
      fc.constantFrom('a', 'A', 'b', 'B', 'c', 'd').map((local) => parseAddress(`${local}@example.com`)),
    );
    fc.assert(
      fc.property(addresses, addresses, addresses, (to, cc, bcc) => {
        const unique = dedupeRecipients({ to, cc, bcc });
        const given = [...to, ...cc, ...bcc].map(({ address }) => toAddressKey(address));
        const kept = [...unique.to, ...unique.cc, ...unique.bcc].map(({ address }) => toAddressKey(address));
        expect(kept).toEqual([...new Set(given)]);
      }),
    );
  });

  test('knows where each address was given, for any input', () => {
    const addresses = fc.array(fc.constantFrom('a', 'A', 'b', 'B', 'c', 'd').map((local) => `${local}@example.com`));
    fc.assert(
      fc.property(addresses, addresses, addresses, (...lists) => {
        const [to, cc, bcc] = lists.map((list) => parseAll(...list)) as [Address[], Address[], Address[]];
        const given = { to, cc, bcc };
        const { duplicates, ...unique } = dedupeRecipients(given);
        for (const kind of ['to', 'cc', 'bcc'] as const)
          for (const [index, address] of unique[kind].entries())
            expect(given[kind][toGivenPosition(kind, index, duplicates)]).toBe(address);
      }),
    );
  });

  test('adds only the number of duplicates to the request fingerprint', () => {
    const to = parseAll('a@example.com', 'A@example.com', 'a@example.com');
    expect(JSON.stringify(dedupeRecipients({ to, cc: [], bcc: [] }).duplicates)).toBe('2');
    expect(dedupeRecipients({ to: to.slice(1, 2), cc: [], bcc: [] }).duplicates).toBeUndefined();
  });
});
