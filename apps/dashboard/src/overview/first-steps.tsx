import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sentEmailQuery } from '../emails/queries';
import { Section } from '../ui/section';
import { ArriveStep, DomainStep, KeyStep, SendStep, TemplateStep } from './steps';

/** What a new workspace does first. It goes once an email has been sent, but not under the eyes of who did it. */
export function FirstSteps() {
  const sent = useQuery(sentEmailQuery);
  const [begun, setBegun] = useState(false);
  const isSent = sent.data !== undefined && sent.data.data.length > 0;
  if (!begun && sent.data !== undefined && !isSent) setBegun(true);
  if (!begun) return null;
  return (
    <Section title="First steps" description="Each is ticked off by itself once it is done.">
      <Stack component="ol" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        <KeyStep />
        <SendStep />
        <ArriveStep isDone={isSent} />
        <DomainStep />
        <TemplateStep />
      </Stack>
    </Section>
  );
}
