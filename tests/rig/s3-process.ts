import { startS3Server } from '@posthorn/testing';

const [, , folder = '', port = '0'] = process.argv;
const { blobStore, ...server } = await startS3Server({
  folder,
  port: Number(port),
  ...JSON.parse(process.env.S3 ?? ''),
});
// It exits when the fault run does, for whatever reason.
process.once('disconnect', () => process.exit());
process.send?.({ port: server.port, blobStore: blobStore() });
