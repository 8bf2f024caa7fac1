import { Button } from '@mantine/core';

type Props = { readonly what: string; readonly isLoading: boolean; readonly onClick: () => void };

export function ShowOlderButton({ what, isLoading, onClick }: Props) {
  return (
    <Button variant="default" size="xs" my="sm" loading={isLoading} onClick={onClick}>
      Show older {what}
    </Button>
  );
}
