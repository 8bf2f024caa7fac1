import { Box, Center, Stack, Text } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import classes from './history-chart.module.css';

const HEIGHT = 220;

export function HistoryChart({ history }: { readonly history: Usage['history'] }) {
  const total = history.reduce((sum, { sends }) => sum + sends, 0);
  return (
    <Stack gap="xs">
      <Text c="dimmed">
        Total for the last {history.length} days (UTC): {total.toLocaleString()}
      </Text>
      <Box h={HEIGHT}>
        {total === 0 ? (
          <Center h="100%">
            <Text size="md" c="dimmed">
              No sends in this period.
            </Text>
          </Center>
        ) : (
          <HistoryBars history={history} height={HEIGHT} />
        )}
      </Box>
    </Stack>
  );
}

/** Every fifth day has a date label, counted back from the newest. */
const DAYS_BETWEEN_DATES = 5;
const INTERVALS = 4;

/** The dates are UTC days and must not shift with the user's time zone. */
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** One bar per day, which links to the emails of that day. A chart library would make the dashboard 50% larger. */
function HistoryBars({ history, height }: { readonly history: Usage['history']; readonly height: number }) {
  const step = chooseTickStep(Math.max(...history.map(({ sends }) => sends)));
  const share = (sends: number) => `${(100 * sends) / (INTERVALS * step)}%`;
  const ticks = Array.from({ length: INTERVALS + 1 }, (_, index) => index * step);
  return (
    <div className={classes.chart} style={{ height }}>
      {ticks.map((tick) => (
        <div key={tick} className={classes.line} aria-hidden="true" style={{ bottom: share(tick) }}>
          <span className={classes.tick}>{tick.toLocaleString()}</span>
        </div>
      ))}
      <ul className={classes.days} aria-label="Sends per day">
        {history.map(({ date, sends }, index) => {
          const name = day.format(new Date(date));
          const count = sends === 1 ? '1 send' : `${sends.toLocaleString()} sends`;
          return (
            <li key={date} className={classes.day} title={`${name} (UTC): ${count}`}>
              {sends > 0 && (
                <Link
                  to="/emails"
                  search={{ created_after: `${date}Z`, created_before: `${date}Z` }}
                  className={classes.link}
                  aria-label={`${name}: ${count}. Show these emails`}
                />
              )}
              <div className={classes.bar} style={{ height: share(sends) }} />
              {(history.length - 1 - index) % DAYS_BETWEEN_DATES === 0 && (
                <span className={classes.date} aria-hidden="true">
                  {name}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The number of sends between two grid lines: a round number that keeps the tallest bar within the chart. */
function chooseTickStep(max: number): number {
  const min = Math.max(1, max / INTERVALS);
  const power = 10 ** Math.floor(Math.log10(min));
  const factor =
    [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= min && Number.isInteger(candidate * power)) ?? 10;
  return factor * power;
}
