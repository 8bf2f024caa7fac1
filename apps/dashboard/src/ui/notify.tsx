import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
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

export type Question = {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly dismiss?: string;
};

/** Asks for confirmation before a destructive action. @returns whether the user confirmed */
export function confirm({ title, text, action, dismiss = 'Cancel' }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text>{text}</Text>,
      labels: { confirm: action, cancel: dismiss },
      confirmProps: { color: 'red' },
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });
}
