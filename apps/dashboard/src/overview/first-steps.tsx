import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sentEmailQuery } from '../emails/queries';
import { Section } from '../ui/section';
import { DeliveryStep, DomainStep, KeyStep, SendStep, TemplateStep } from './steps';

/** What a new workspace does first. It goes once an email has been sent, but not under the eyes of who did it. */
export function FirstSteps() {
  const sent = useQuery(sentEmailQuery);
  const [isShown, setShown] = useState(false);
  const isSent = sent.data !== undefined && sent.data.data.length > 0;
  if (!isShown && sent.data !== undefined && !isSent) setShown(true);
  if (!isShown) return null;
  return (
    <Section title="First steps" description="Each step is checked off automatically when you complete it.">
      <Stack component="ol" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        <KeyStep />
        <SendStep />
        <DeliveryStep isDone={isSent} />
        <DomainStep />
        <TemplateStep />
      </Stack>
    </Section>
  );
}
