import { Anchor } from '@mantine/core';
import type { Template } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { useSession } from '../accounts/session';
import { CodeSamples } from '../ui/code-samples';
import { Section } from '../ui/section';
import type { Samples } from './samples/samples';
import { templateRequest } from './template-request';

type Props = { readonly template: Template; readonly samples: Samples };

export function SendSection({ template, samples }: Props) {
  const { user } = useSession();
  return (
    <Section
      title="Send from your program"
      description={
        <>
          This code sends the saved template with the sample values. Set POSTHORN_API_KEY to an{' '}
          <Anchor component={Link} to="/api-keys" inherit underline="always">
            API key
          </Anchor>
          .
        </>
      }
    >
      <CodeSamples request={templateRequest(location.origin, user.email, template, samples)} />
    </Section>
  );
}
