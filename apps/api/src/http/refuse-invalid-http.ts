import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '@posthorn/contract';
import { newId } from '@posthorn/platform/values';
import { problems } from './http-errors.js';

const refusals: Readonly<Record<string, Pick<Problem, 'status' | 'detail'>>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    detail: 'The request headers are larger than the limit of 16 kB. Send fewer or shorter headers.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    detail: 'The request did not arrive in time. Send the headers within 10 seconds and the whole request within 30.',
  },
};

const NOT_HTTP = {
  status: 400,
  detail: 'The request is not valid HTTP/1.1 (RFC 9112). Check the client and any proxy in front of this server.',
};

/** Node refuses invalid HTTP before any route sees it. This sends problem details, as for any other refusal. */
export function refuseInvalidHttp(server: Server, docsUrl: string): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { status, detail } = refusals[error.code ?? ''] ?? NOT_HTTP;
    const problem: Problem = {
      type: `${docsUrl}#bad_request`,
      title: problems.bad_request.title,
      status,
      detail,
      code: 'bad_request',
      request_id: newId(),
    };
    const body = JSON.stringify(problem);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${problem.request_id}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
