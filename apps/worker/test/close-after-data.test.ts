import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  always,
  cut,
  type Fault,
  type RawSmtpServer,
  type Reaction,
  say,
  sayAndCut,
  startRawSmtpServer,
} from '@posthorn/testing';
import { defaultTimeouts } from './default-timeouts.js';
import { openTestRelays, type TestRelays } from './test-relays.js';
import { warningLog } from './warning-log.js';

let first: RawSmtpServer;
let second: RawSmtpServer;
let relays: TestRelays;
let fault: Fault;

beforeEach(async () => {
  fault = () => undefined;
  first = await startRawSmtpServer((...at) => fault(...at), ['PIPELINING']);
  second = await startRawSmtpServer();
  const smtpUrls = [first.url, second.url];
  relays = openTestRelays(
    { smtpUrls, checkSender: 'check@bounces.example.com', timeouts: defaultTimeouts },
    warningLog(),
  );
});

afterEach(async () => {
  jest.restoreAllMocks();
  relays.close();
  await Promise.all([first.close(), second.close()]);
});

const send = (message = 'Subject: Hi\r\n\r\nHi\r\n', mayStart = () => true) =>
  relays.send({
    workspaceId: 'acme',
    envelope: { from: 'me@example.com', to: ['jane@example.com'] },
    message: Buffer.from(message),
    mayStart,
  });

const nameOf = (server: RawSmtpServer) => (server === first ? 'env-1' : 'env-2');
const sentBySecond = () => ({ end: 'completed', route: nameOf(second) });

/** Reads nothing of the message. */
const sayThenCut =
  (ms: number): Reaction =>
  async (socket) => {
    say('354 Go on')(socket);
    socket.pause();
    await sleep(ms);
    cut(socket);
  };

describe('a relay that closes the connection after its 354', () => {
  test.each([
    ['with the reply', sayAndCut('354 Go on')],
    ['at once', sayThenCut(0)],
  ])('%s does not have the message, so the next relay is tried', async (_title, reaction) => {
    fault = always('DATA', reaction);
    for (let sent = 1; sent <= 3; sent += 1) {
      expect(await send()).toMatchObject(sentBySecond());
      expect(second.messages).toHaveLength(sent);
    }
  });

  test('when the first bytes arrive does not have the message either', async () => {
    fault = always('BODY', cut);
    expect(await send()).toMatchObject(sentBySecond());
    expect(first.messages).toHaveLength(0);
  });

  test('some time later may have one message, but no others', async () => {
    fault = always('DATA', sayThenCut(100));
    expect(await send()).toMatchObject({ end: 'ambiguous', route: nameOf(first) });
    expect(second.messages).toHaveLength(0);
    for (let sent = 1; sent <= 3; sent += 1) {
      expect(await send()).toMatchObject(sentBySecond());
      expect(second.messages).toHaveLength(sent);
    }
  });

  test('in the middle of a large message does not have it', async () => {
    fault = always('DATA', sayThenCut(300));
    expect(await send(`Subject: Hi\r\n\r\n${'x'.repeat(12_000_000)}\r\n`)).toMatchObject(sentBySecond());
  });
});

test('a relay that resets the connection right before the message is written does not have it', async () => {
  await send();
  let connection: Socket | undefined;
  fault = always('DATA', (socket) => {
    connection = socket;
    say('354 Go on')(socket);
  });
  // The lease is checked right before the first byte, too late for the event loop to notice.
  const result = await send(undefined, () => connection?.resetAndDestroy() !== undefined);
  expect(result).toMatchObject(sentBySecond());
  expect(result.conversation.join('\n')).toMatch(/-- write (EPIPE|ECONNRESET)/);
});

describe('a relay that closes the connection after the final dot', () => {
  test('may have the message, however long the dot waited', async () => {
    fault = always('DOT', cut);
    for (let sent = 1; sent <= 2; sent += 1) {
      expect(await send()).toMatchObject({ end: 'ambiguous', route: nameOf(first) });
      expect(first.messages).toHaveLength(sent);
    }
    expect(second.messages).toHaveLength(0);
  });

  test('gets the dot together with the message again once it has replied', async () => {
    let isSameChunk = false;
    const together: boolean[] = [];
    fault = (moment) => {
      if (moment === 'BODY') {
        isSameChunk = true;
        setImmediate(() => {
          isSameChunk = false;
        });
      }
      if (moment !== 'DOT') return undefined;
      together.push(isSameChunk);
      return together.length === 2 ? cut : undefined;
    };
    for (let sent = 0; sent < 4; sent += 1) await send();
    expect(together).toEqual([false, true, false, true]);
  });

  test('gets the dot after the pause, even if its timer fires before the clock says so', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    expect(await send()).toMatchObject({ end: 'completed', route: nameOf(first) });
  });

  test('does not get the dot if the lease ends during the pause', async () => {
    fault = always('DOT', cut);
    await send();
    const mayStart = jest.fn().mockReturnValueOnce(true).mockReturnValueOnce(false);
    expect(await send(undefined, mayStart)).toMatchObject({ end: 'lease_ended' });
    expect(first.messages).toHaveLength(1);
    expect(second.messages).toHaveLength(0);
  });
});
