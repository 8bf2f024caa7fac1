import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttachmentContent,
  deleteUnusedAttachments,
  readAttachment,
  stageAttachments,
  toAttachmentContent,
  warnOfUnreachableObjects,
} from '@posthorn/domain/attachments';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import {
  closeTestContext,
  createTestWorkspace,
  listS3Objects,
  openTestContext,
  type S3Server,
  startS3Server,
} from '@posthorn/testing';
import { parseBlobStore } from '../../src/config/blob-store.js';
import { createObjectStore } from '../../src/object-store/s3.js';

/** The secret must be escaped in a URL. */
const credentials = { accessKeyId: 'AK+ID', secretAccessKey: 's/e+c %25=&?:@#', region: 'eu-central-1' };

let folder: string;
let server: S3Server;
let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-s3-'));
  server = await startS3Server({ folder, ...credentials });
  ctx = {
    ...(await openTestContext({ ownDatabase: 'it deletes unused attachments of all workspaces' })),
    objects: openStore(),
  };
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(async () => {
  await closeTestContext(ctx);
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function openStore(others: Partial<typeof credentials> = {}) {
  const blobStore = parseBlobStore(server.blobStore(others));
  if (blobStore === null) throw new Error('The setting is not valid');
  return createObjectStore(blobStore);
}

const owner = () => ({ id: workspaceId, liveId: workspaceId, allowance: { storageBytes: 1_000_000_000 } });
const stage = (...contents: AttachmentContent[]) => stageAttachments(ctx, owner(), contents);

async function read({ sha256, bytes }: AttachmentContent): Promise<Buffer> {
  const { object_key: objectKey } = await ctx
    .db('blobs')
    .where({ sha256: Buffer.from(sha256, 'hex') })
    .first();
  const parts: Buffer[] = [];
  for await (const part of readAttachment(ctx, workspaceId, { sha256, size: bytes.length, objectKey }))
    parts.push(part);
  return Buffer.from(Buffer.concat(parts).toString('latin1'), 'base64');
}

const age = () => ctx.db.raw("update blobs set kept_until = kept_until - interval '2 hours'");

const makeOlder = () => ctx.db.raw("update unused_objects set due_at = due_at - interval '2 hours'");
const makeDue = () => ctx.db('unused_objects').update({ due_at: ctx.db.fn.now() });

const objects = () => listS3Objects(folder);

describe('an object store', () => {
  test.each([0, 1, 1_026_000, 5_000_000])(
    'stores attachments of %i bytes, and Postgres stores none of their content',
    async (size) => {
      const content = toAttachmentContent(randomBytes(size));
      await stage(content, content);
      expect(Buffer.compare(await read(content), content.bytes)).toBe(0);
      expect(await ctx.db('blob_parts')).toHaveLength(0);
      expect(await objects()).toHaveLength(1);
    },
  );

  test('stores content only once, even for concurrent requests', async () => {
    const content = toAttachmentContent(randomBytes(100_000));
    await Promise.all(Array.from({ length: 5 }, () => stage(content)));
    expect(await objects()).toHaveLength(1);
    expect(Buffer.compare(await read(content), content.bytes)).toBe(0);
  });

  test('receives the content again if the first request ended before sending all of it', async () => {
    const content = toAttachmentContent(randomBytes(100_000));
    const broken = { put: () => Promise.reject(new Error('gone')), get: jest.fn(), delete: jest.fn() };
    await expect(stageAttachments({ ...ctx, objects: broken }, owner(), [content])).rejects.toThrow('gone');
    await stage(content);
    expect(Buffer.compare(await read(content), content.bytes)).toBe(0);
  });

  test('drops content that no email uses, unless it is staged again', async () => {
    const [unused, used] = [toAttachmentContent(randomBytes(10)), toAttachmentContent(randomBytes(20))];
    await stage(unused, used);
    await age();
    await stage(used);
    await deleteUnusedAttachments(ctx, 100);
    expect(await objects()).toHaveLength(1);
    expect(await ctx.db('unused_objects')).toHaveLength(0);
    expect(Buffer.compare(await read(used), used.bytes)).toBe(0);
  });

  test('keeps an object on the list until it has been deleted', async () => {
    await stage(toAttachmentContent(randomBytes(10)));
    await age();
    await server.close();
    await expect(deleteUnusedAttachments(ctx, 100)).rejects.toThrow();
    expect(await ctx.db('unused_objects')).toHaveLength(1);
    await makeDue();
    server = await startS3Server({ folder, port: server.port, ...credentials });
    await deleteUnusedAttachments(ctx, 100);
    expect([await objects(), await ctx.db('unused_objects')]).toEqual([[], []]);
  });

  test('that refuses to delete one object deletes the others, and is asked again later', async () => {
    const logged: object[] = [];
    const log = { ...ctx.log, warn: (fields: object, event: string) => logged.push({ event, ...fields }) };
    await stage(...Array.from({ length: 3 }, () => toAttachmentContent(randomBytes(10))));
    const [oldest = ''] = await ctx.db('blobs').orderBy('kept_until').pluck('object_key');
    server.deny(oldest);
    await age();
    await deleteUnusedAttachments({ ...ctx, log }, 100);
    expect(await objects()).toEqual([oldest]);
    expect(logged).toEqual([{ event: 'objects_not_deleted', failed: 1, error: expect.any(Error) }]);
    const [left] = await ctx.db('unused_objects');
    expect(left.object_key).toBe(oldest);
    expect(left.due_at.getTime() - Date.now()).toBeGreaterThan(3_500_000);
  });

  test('deletes the oldest unused objects first, and only as many as it is asked to', async () => {
    for (let n = 0; n < 3; n += 1) await stage(toAttachmentContent(randomBytes(10)));
    await ctx.db.raw('insert into unused_objects (object_key, due_at) select object_key, kept_until from blobs');
    await makeOlder();
    const keys = await ctx.db('unused_objects').orderBy('due_at').pluck('object_key');
    expect(await deleteUnusedAttachments(ctx, 2)).toBe(2);
    expect(await objects()).toEqual(keys.slice(2));
    expect(await deleteUnusedAttachments(ctx, 2)).toBe(1);
    expect(await objects()).toEqual([]);
  });

  test('that fails to delete one object deletes the others on the next run', async () => {
    await stage(toAttachmentContent(randomBytes(10)), toAttachmentContent(randomBytes(10)));
    await age();
    const store = openStore();
    const [first = ''] = await ctx.db('blobs').orderBy('kept_until').pluck('object_key');
    server.deny(first, 500);
    await expect(deleteUnusedAttachments({ ...ctx, objects: store }, 100)).rejects.toThrow('unavailable');
    await deleteUnusedAttachments(ctx, 100);
    expect(await objects()).toEqual([first]);
  });

  test('that BLOB_STORE no longer names makes a worker warn about what it can no longer delete', async () => {
    const log = { ...ctx.log, warn: jest.fn() };
    await warnOfUnreachableObjects({ ...ctx, log, objects: null });
    await stage(toAttachmentContent(randomBytes(10)));
    await age();
    await deleteUnusedAttachments({ ...ctx, objects: null }, 100);
    await warnOfUnreachableObjects({ ...ctx, log });
    expect(log.warn).not.toHaveBeenCalled();
    await warnOfUnreachableObjects({ ...ctx, log, objects: null });
    expect(log.warn.mock.calls).toEqual([[{ unused: 1 }, 'objects_not_deletable']]);
  });

  test('that is down makes a request fail with an error that is worth a retry', async () => {
    await server.close();
    const error = await stage(toAttachmentContent(randomBytes(10))).catch((thrown: unknown) => thrown);
    expect([isUnavailable(error), String(error)]).toEqual([
      true,
      expect.stringContaining('object store is unavailable'),
    ]);
  });

  test.each([
    [503, true],
    [500, true],
    [429, true],
    [403, false],
  ])('that answers %i is worth trying again: %s', async (status, isWorthIt) => {
    server.deny('key', status);
    const error = await openStore()
      ?.put('key', randomBytes(10))
      .catch((thrown: unknown) => thrown);
    expect([error instanceof Error, isUnavailable(error)]).toEqual([true, isWorthIt]);
  });

  test.each([
    ['secret', { secretAccessKey: 's/e+c %25=&?:@' }, 'SignatureDoesNotMatch'],
    ['access key', { accessKeyId: 'AK' }, 'InvalidAccessKeyId'],
    ['region', { region: 'auto' }, 'AuthorizationHeaderMalformed'],
  ])('gets and gives nothing with the wrong %s', async (_, wrong, code) => {
    const [content, other] = [toAttachmentContent(randomBytes(10)), toAttachmentContent(randomBytes(10))];
    await stage(content);
    const stranger = { ...ctx, objects: openStore(wrong) };
    await expect(stageAttachments(stranger, owner(), [other])).rejects.toThrow(code);
    const { object_key: objectKey } = await ctx.db('blobs').where({ is_stored: true }).first();
    const reading = readAttachment(stranger, workspaceId, { ...content, size: 10, objectKey });
    await expect(reading.next()).rejects.toThrow(code);
    await expect(stranger.objects?.delete(objectKey)).rejects.toThrow(code);
    expect(await objects()).toEqual([objectKey]);
  });

  test('whose setting was removed makes its attachments unreadable', async () => {
    const content = toAttachmentContent(randomBytes(10));
    await stage(content);
    const { object_key: objectKey } = await ctx.db('blobs').first();
    const reading = readAttachment({ ...ctx, objects: null }, workspaceId, { ...content, size: 10, objectKey });
    await expect(reading.next()).rejects.toThrow('BLOB_STORE does not name the object store');
  });
});

describe('BLOB_STORE', () => {
  test.each([
    ['postgres', { kind: 'postgres' }],
    [
      's3://AK:s%2Fe+c@s3.example.com/mail?region=eu-central-1',
      {
        kind: 's3',
        endpoint: 'https://s3.example.com/mail',
        region: 'eu-central-1',
        accessKeyId: 'AK',
        secretAccessKey: 's/e+c',
      },
    ],
    ['s3://AK:s@127.0.0.1:9000/mail?insecure=1', expect.objectContaining({ endpoint: 'http://127.0.0.1:9000/mail' })],
  ])('%s is read', (text, setting) => {
    expect(parseBlobStore(text)).toEqual(setting);
  });

  test.each([
    ['redis'],
    ['https://AK:s@s3.example.com/mail'],
    ['s3://s3.example.com/mail'],
    ['s3://AK:s@s3.example.com'],
    ['s3://AK:s@s3.example.com/mail/deeper'],
    ['s3://AK:s@s3.example.com/mail?insecure=yes'],
    ['s3://AK:s@s3.example.com/mail?zone=eu'],
  ])('%s is refused', (text) => {
    expect(parseBlobStore(text)).toBeNull();
  });
});
