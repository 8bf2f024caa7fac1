import { Alert, List, Text } from '@mantine/core';
import { ApiError } from '../api/request';
import { IconAlertTriangle } from './icons';
import { RequestId } from './request-id';

/** Shows the API's error with the request ID, which also appears in the API's log. */
export function ProblemAlert({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  if (!(error instanceof ApiError)) return <ProblemBox title="Something went wrong">{error.message}</ProblemBox>;
  const { title, detail, errors } = error.problem;
  return (
    <ProblemBox title={title}>
      {/* The detail repeats the first error. */}
      {errors === undefined || errors.length < 2 ? (
        detail
      ) : (
        <List size="sm">
          {errors.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`} className="breakable">
              {field && <b>{field}: </b>}
              {message}
            </List.Item>
          ))}
        </List>
      )}
      <RequestId error={error} />
    </ProblemBox>
  );
}

function ProblemBox({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <Alert role="alert" color="red" variant="light" title={title} icon={<IconAlertTriangle />} w="100%">
      <Text component="div" size="sm">
        {children}
      </Text>
    </Alert>
  );
}
