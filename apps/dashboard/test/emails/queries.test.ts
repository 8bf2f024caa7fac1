import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { handedOverQuery } from '../../src/emails/queries.js';

/** Long enough that nobody is still waiting for the first email. */
const MINUTES = 15;

/** @returns how often an open page asks the API if the API reports an email only after `acceptedAfter` requests */
async function countPolls(acceptedAfter: number): Promise<number> {
  let polls = 0;
  const client = new QueryClient();
  const queryFn = async () => {
    polls += 1;
    return polls > acceptedAfter;
  };
  const stop = new QueryObserver(client, { ...handedOverQuery, queryFn }).subscribe(() => {});
  await jest.advanceTimersByTimeAsync(MINUTES * 60_000);
  stop();
  client.clear();
  return polls;
}

beforeEach(() => {
  jest.useFakeTimers();
  // Queries only refresh in a browser.
  environmentManager.setIsServer(() => false);
});

afterEach(() => void jest.useRealTimers());

test('the overview asks until an email has been accepted', async () => {
  expect(await countPolls(5)).toBe(6);
});

test('the overview stops asking after ten minutes', async () => {
  const polls = await countPolls(Number.POSITIVE_INFINITY);
  expect(polls * 3).toBeGreaterThan(9 * 60);
  expect(polls * 3).toBeLessThan(11 * 60);
});
