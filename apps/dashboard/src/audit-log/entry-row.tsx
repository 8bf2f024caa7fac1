import { ActionIcon, Group, Stack, Table, Text } from '@mantine/core';
import type { AuditEntry } from '@posthorn/contract';
import { useId, useState } from 'react';
import { IconChevronRight } from '../ui/icons';
import { RelativeTime } from '../ui/timestamp';
import { actionLabels } from './action-labels';
import { actorName } from './actor-name';
import { ChangesTable } from './changes-table';
import classes from './entry-row.module.css';
import { FilterLinks } from './filter-links';

/** One change. The button shows the fields before and after. On narrow screens, all columns are below the first one. */
export function EntryRow({ entry }: { readonly entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { actor, action, target, ip, created_at, changes } = entry;
  const what = actionLabels[action];
  return (
    <>
      <Table.Tr>
        <Table.Td w={1} pe={0}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Details: ${what} ${target.label}`}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronRight size={16} className={classes.chevron} />
          </ActionIcon>
        </Table.Td>
        <Table.Td className="breakable">
          {what}{' '}
          <Text span inherit fw={600}>
            {target.label}
          </Text>
          <Text hiddenFrom="sm" size="xs" c="dimmed" component="div">
            {actorName(actor)}
            {ip !== null && `, ${ip}`}, <RelativeTime value={created_at} />
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="sm" className="breakable">
          {actorName(actor)}
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <RelativeTime value={created_at} />
        </Table.Td>
        <Table.Td visibleFrom="sm" className="breakable">
          {ip ?? '–'}
        </Table.Td>
      </Table.Tr>
      <Table.Tr id={id} hidden={!isOpen}>
        <Table.Td colSpan={5} className={classes.details}>
          {isOpen && (
            <Stack gap="sm">
              <ChangesTable changes={changes} label={`${what} ${target.label}`} />
              <Group gap="md">
                <FilterLinks entry={entry} />
              </Group>
            </Stack>
          )}
        </Table.Td>
      </Table.Tr>
    </>
  );
}
