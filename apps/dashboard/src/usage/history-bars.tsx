import { Tooltip } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import classes from './history-bars.module.css';

type Props = { readonly history: Usage['history'] };

/** The dates are UTC days: shown as they are, whatever the viewer's zone. */
const dayOf = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** As high as what is around it. A chart library would be two thirds of what the page loads. */
export function HistoryBars({ history }: Props) {
  const top = scaleOf(Math.max(...history.map(({ sends }) => sends)));
  const days = history.map(({ date, sends }) => ({ date, sends, name: dayOf.format(new Date(date)) }));
  return (
    <div className={classes.chart}>
      <div className={classes.scale}>
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{value.toLocaleString()}</span>
        ))}
      </div>
      <div className={classes.bars}>
        {days.map(({ date, sends, name }) => (
          <Tooltip
            key={date}
            label={`${name}: ${sends.toLocaleString()}`}
            events={{ hover: true, focus: false, touch: true }}
          >
            <div className={classes.day}>
              <div className={classes.bar} style={{ height: `${(sends / top) * 100}%` }} />
            </div>
          </Tooltip>
        ))}
      </div>
      <div className={classes.names}>
        {days.map(({ date, name }, index) => (
          <span key={date} data-every={stepOf(days.length - 1 - index)}>
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The last day has a name, and from there each fifth, or where it is narrow each tenth. */
function stepOf(daysBack: number): 'tenth' | 'fifth' | undefined {
  if (daysBack % 10 === 0) return 'tenth';
  return daysBack % 5 === 0 ? 'fifth' : undefined;
}

/** The end of the scale: an even round number, not below the highest. */
function scaleOf(highest: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  return [2, 4, 6, 8, 10].map((step) => step * unit).find((end) => end >= highest) ?? 20 * unit;
}
