import { notifications } from '@mantine/notifications';
import { ApiError } from '../api/request';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green' });
}

/** For actions without a form that could show the error. */
export function notifyProblem(error: Error): void {
  const requestId = error instanceof ApiError ? error.problem.request_id : '';
  notifications.show({
    title: error instanceof ApiError ? error.problem.title : 'Something went wrong',
    message: requestId ? `${error.message} (request ID ${requestId})` : error.message,
    color: 'red',
    autoClose: 12_000,
  });
}
