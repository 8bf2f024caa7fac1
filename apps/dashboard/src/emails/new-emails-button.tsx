import { Button } from '@mantine/core';
import classes from './new-emails-button.module.css';

type Props = { readonly count: number; readonly onShow: () => void };

/** New mail does not push down what is read: it waits, above the list, to be let in. */
export function NewEmailsButton({ count, onShow }: Props) {
  return (
    <div role="status" className={classes.place}>
      {count > 0 && (
        <Button className={classes.button} size="compact-sm" radius="xl" onClick={onShow}>
          {count === 1 ? 'Show 1 new email' : `Show ${count} new emails`}
        </Button>
      )}
    </div>
  );
}
