import { Anchor } from '@mantine/core';
import type { Template } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';
import { Section } from '../ui/section';
import type { Samples } from './samples/samples';
import { templateCommand } from './template-command';

type Props = { readonly template: Template; readonly samples: Samples };

export function SendSection({ template, samples }: Props) {
  const { user } = useSession();
  return (
    <Section
      title="Send it from your program"
      description={
        <>
          The saved template with the sample values; put an{' '}
          <Anchor component={Link} to="/api-keys" inherit underline="always">
            API key
          </Anchor>{' '}
          into POSTHORN_API_KEY.
        </>
      }
    >
      <Copyable block value={templateCommand(location.origin, user.email, template, samples)} what="the command" />
    </Section>
  );
}
