import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { handedOverQuery } from '../emails/queries';
import { Section } from '../ui/section';
import { DeliveryStep, DomainStep, KeyStep, SendStep, TemplateStep } from './steps';

/**
 * Setup steps for a new workspace. Once shown, they stay until the user leaves the page, even after the first email.
 */
export function FirstSteps() {
  const { data: isHandedOver } = useQuery(handedOverQuery);
  const [isShown, setShown] = useState(false);
  if (!isShown && isHandedOver === false) setShown(true);
  if (!isShown) return null;
  return (
    <Section title="First steps" description="Each step is checked off automatically when you complete it.">
      <Stack component="ol" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        <KeyStep />
        <SendStep />
        <DeliveryStep isDone={isHandedOver === true} />
        <DomainStep />
        <TemplateStep />
      </Stack>
    </Section>
  );
}
