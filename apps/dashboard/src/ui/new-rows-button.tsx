import { Button } from '@mantine/core';
import classes from './new-rows-button.module.css';

type Props = {
  readonly count: number;
  /** The noun of the list: `email` and `emails`. */
  readonly one: string;
  readonly many: string;
  readonly onShow: () => void;
};

/** New rows wait behind this button, so that they do not push down the rows that the user is reading. */
export function NewRowsButton({ count, one, many, onShow }: Props) {
  return (
    <div role="status" className={classes.place}>
      {count > 0 && (
        <Button className={classes.button} size="compact-sm" radius="xl" onClick={onShow}>
          {count === 1 ? `Show 1 new ${one}` : `Show ${count} new ${many}`}
        </Button>
      )}
    </div>
  );
}
