import { Alert, Stack } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../ui/loaded';
import { Page } from '../../ui/page';
import { emailQuery } from '../queries';
import { ComposeForm } from './compose-form';
import { ComposeSkeleton } from './compose-skeleton';
import { draftFrom, emptyDraft } from './draft';

const page = getRouteApi('/app-layout/emails/new');

export function NewEmailPage() {
  const { from } = page.useSearch();
  return (
    <Page title={from === undefined ? 'New email' : 'Send again'}>
      {from === undefined ? <ComposeForm draft={emptyDraft} /> : <SendAgain key={from} id={from} />}
    </Page>
  );
}

function SendAgain({ id }: { readonly id: string }) {
  return (
    <Loaded query={useQuery({ ...emailQuery(id), refetchInterval: false })} skeleton={<ComposeSkeleton />}>
      {(email) => (
        <Stack gap="lg">
          <Notice email={email} />
          <ComposeForm draft={draftFrom(email)} />
        </Stack>
      )}
    </Loaded>
  );
}

/** Says what the form does not copy from the old email. */
function Notice({ email }: { readonly email: Email }) {
  const files = email.attachments ?? [];
  const notices = [
    'This sends a new email, which counts as a new send.',
    ...(email.content_removed ? ['The content of the old email was deleted because of its age.'] : []),
    ...(email.template_id === null ? [] : ['It uses the current version of the template.']),
    ...(files.length === 0 ? [] : [`Add the attachments again: ${files.map(({ filename }) => filename).join(', ')}.`]),
    ...(email.tags.length === 0 && Object.keys(email.headers).length === 0
      ? []
      : ['Tags and custom headers are not copied.']),
  ];
  return (
    <Alert variant="light" role="note" className="breakable">
      {notices.join(' ')}
    </Alert>
  );
}
