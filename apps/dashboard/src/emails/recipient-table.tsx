import { Anchor, Box, Stack, Table, Text } from '@mantine/core';
import type { Mode, RecipientState } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { EmailStatusBadge } from './email-status-badge';

const kinds = { to: 'To', cc: 'Cc', bcc: 'Bcc' } as const;

type Props = { readonly recipients: readonly RecipientState[]; readonly mode: Mode };

/** Recipients with their status and the mail server's reply. */
export function RecipientTable({ recipients, mode }: Props) {
  return (
    <Table layout="fixed" verticalSpacing="sm" aria-label="Recipients">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Recipient</Table.Th>
          <Table.Th scope="col" w="9rem" visibleFrom="sm">
            Status
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {recipients.map(({ address, kind, status, smtp_code, smtp_response }) => (
          <Table.Tr key={`${kind} ${address}`}>
            <Table.Td valign="top">
              <Stack gap={2}>
                <Text size="sm" className="breakable">
                  <Text span c="dimmed" size="sm">
                    {kinds[kind]}{' '}
                  </Text>
                  {address}
                </Text>
                <Box hiddenFrom="sm">
                  <EmailStatusBadge status={status} />
                </Box>
                {smtp_response !== null && (
                  <Text size="xs" ff="monospace" c="dimmed" className="breakable">
                    {smtpReply(smtp_code, smtp_response)}
                  </Text>
                )}
                {status === 'suppressed' && mode === 'live' && (
                  <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/suppressions" search={{ address }} />}>
                    Show suppression
                  </Anchor>
                )}
              </Stack>
            </Table.Td>
            <Table.Td valign="top" visibleFrom="sm">
              <EmailStatusBadge status={status} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Most replies already contain their code. */
function smtpReply(code: number | null, response: string): string {
  return code === null || response.includes(String(code)) ? response : `${code} ${response}`;
}
