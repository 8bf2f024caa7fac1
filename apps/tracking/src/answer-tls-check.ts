import { servesTrackingHost } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { type TrackingResponse, text } from './response-for.js';

/** A proxy asks here, as in `/tls-check?domain=links.acme.example`, before it gets a certificate for a host. */
export const TLS_CHECK_PATH = '/tls-check';

/** 200 if links of ours lead to the host, 404 if not, and 503 while Postgres is down. */
export async function answerTlsCheck(
  ctx: Pick<Context, 'config' | 'db' | 'log'>,
  url: string,
): Promise<TrackingResponse> {
  const host = new URLSearchParams(url.split('?')[1]).get('domain') ?? '';
  try {
    return (await servesTrackingHost(ctx, host)) ? text(200, 'ok') : text(404, 'No links lead to this host');
  } catch (error) {
    if (!isUnavailable(error)) ctx.log.error({ error }, 'certificate_check_failed');
    return text(503, 'The database cannot be reached');
  }
}
