import { Button } from '@mantine/core';
import classes from './new-emails-button.module.css';

type Props = { readonly count: number; readonly onShow: () => void };

/** New emails wait behind this button, so that they do not push down the rows that the user is reading. */
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
