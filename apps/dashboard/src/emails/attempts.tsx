import { Accordion, Code, Group, Stack, Text } from '@mantine/core';
import type { Attempt } from '@posthorn/contract';
import { CopyButton } from '../ui/copy-button';
import { TimeWithAge } from '../ui/timestamp';
import { outcomeLabel, phaseLabel } from './attempt-labels';

/** Newest attempt first, each with its SMTP conversation collapsed. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const newest = attempts.at(-1);
  return (
    <Accordion variant="separated" order={3} chevronPosition="left">
      {attempts.toReversed().map((attempt) => (
        <Accordion.Item key={attempt.attempt} value={String(attempt.attempt)}>
          <Accordion.Control>
            <Text size="sm" fw={500} component="span" display="block">
              Attempt {attempt.attempt}: {outcomeLabel(attempt, attempt === newest)}
            </Text>
            <Text size="xs" c="dimmed" component="span" display="block">
              <TimeWithAge value={attempt.started_at} inLink />
              {attempt.ended_at !== null && `, took ${duration(attempt.started_at, attempt.ended_at)}`}
            </Text>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptDetail attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function AttemptDetail({ attempt: { attempt, outcome, phase, route, conversation } }: { readonly attempt: Attempt }) {
  const text = conversation.join('\n');
  return (
    <Stack gap="xs">
      {outcome === 'ambiguous' && <AmbiguousNote />}
      {phase !== null && <Text size="sm">This attempt ended {phaseLabel(phase)}.</Text>}
      {route && (
        <Text size="sm" className="breakable">
          Mail server: {route}
        </Text>
      )}
      {conversation.length === 0 ? (
        <Text size="sm" c="dimmed">
          There was no SMTP conversation, or it was not recorded.
        </Text>
      ) : (
        <div>
          <Group justify="space-between" mb={4}>
            <Text size="xs" c="dimmed">
              C: Posthorn, S: the mail server, --: which server was tried. The message itself is omitted.
            </Text>
            <CopyButton value={text} what={`the conversation of attempt ${attempt}`} />
          </Group>
          <Code block style={{ whiteSpace: 'pre-wrap' }} className="breakable">
            {text}
          </Code>
        </div>
      )}
    </Stack>
  );
}

function AmbiguousNote() {
  return (
    <Text size="sm" maw="42rem">
      The connection broke after we sent the whole message but before the mail server replied, so we cannot tell whether
      it was accepted. We will send it again, unless your operator chose to give up on such emails. At worst, the
      recipient gets two copies with the same Message-ID.
    </Text>
  );
}

function duration(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;
}
