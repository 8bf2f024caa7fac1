import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { Loaded } from '../ui/loaded';
import { notifyProblem } from '../ui/notify';
import { Section } from '../ui/section';
import { TableSkeleton } from '../ui/table-skeleton';
import { goToLogin } from './go-to-login';
import { ownSessionsQuery } from './own-sessions-query';
import { SessionTable } from './session-table';

export function SessionsSection() {
  const query = useQuery(ownSessionsQuery);
  const logOut = useMutation({
    mutationFn: () => request('DELETE', '/auth/sessions'),
    onSuccess: () => goToLogin(),
    onError: notifyProblem,
  });
  const confirmLogOut = async () => (await confirm(logOutQuestion)) && logOut.mutate();
  return (
    <Section
      title="Sessions"
      description="Where you are logged in, across all workspaces. If you do not recognize a session, change your password."
      actions={
        <Button variant="default" loading={logOut.isPending} onClick={confirmLogOut}>
          Log out everywhere
        </Button>
      }
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
        {({ data, has_more: hasMore }) => (
          <>
            <SessionTable sessions={data} />
            {hasMore && (
              <Text size="sm" mt="sm">
                Only the newest {data.length} sessions are shown.
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const logOutQuestion = {
  title: 'Log out everywhere?',
  text: 'This ends all your sessions immediately, including this one. API keys keep working.',
  action: 'Log out everywhere',
};
