import { Box, Text } from '@mantine/core';
import type { EmailEvent, EmailEventType } from '@posthorn/contract';
import { Timestamp, TimeWithAge } from '../ui/timestamp';
import { describeStatus, isStatus } from './email-status';
import { eventLabel } from './event-label';
import classes from './timeline.module.css';

/** The email's events, oldest first. */
export function Timeline({ events }: { readonly events: readonly EmailEvent[] }) {
  return (
    <ol className={classes.events}>
      {events.map((event) => (
        <li key={event.id} className={classes.event}>
          <Box component="span" className={classes.bullet} bg={colorOf(event.type)} />
          <Text size="sm" fw={500}>
            {eventLabel(event.type)}
          </Text>
          {event.recipient !== null && (
            <Text size="sm" className="breakable">
              {event.recipient}
            </Text>
          )}
          <Detail event={event} />
          <Text size="xs" c="dimmed" component="div">
            <TimeWithAge value={event.created_at} />
          </Text>
        </li>
      ))}
    </ol>
  );
}

/** Shows a new scheduled time in the user's time zone. */
function Detail({ event: { type, detail } }: { readonly event: EmailEvent }) {
  if (detail === null) return null;
  const time = type === 'scheduled' ? /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(detail)?.[0] : undefined;
  return (
    <Text size="sm" c="dimmed" className="breakable" component="div">
      {time === undefined ? (
        detail
      ) : (
        <>
          Scheduled for <Timestamp value={time} />
        </>
      )}
    </Text>
  );
}

function colorOf(type: EmailEventType): string {
  if (type === 'ambiguous') return 'orange';
  return isStatus(type) ? describeStatus(type).color : 'gray';
}
