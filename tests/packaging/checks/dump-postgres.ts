import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIsolatedPackage } from '../../rig/isolated-package.js';
import { ROOT } from '../../rig/servers.js';
import type { Check } from '../check.js';

/** Starts a cluster of its own, because the package's would use the port of one that runs on this machine. */
const SCRIPT = `
mkdir -p /var/tmp/check/backups
chown -R postgres /var/tmp/check
cat > /var/tmp/check/run <<'END'
set -eu
export PATH=$(ls -d /usr/lib/postgresql/*/bin):$PATH PGHOST=/var/tmp/check PGUSER=posthorn PGDATABASE=posthorn
cd /var/tmp/check
echo secret > password
initdb --pgdata data --username posthorn --pwfile password --auth scram-sha-256 > /dev/null
pg_ctl --pgdata data --wait --options "-c listen_addresses= -c unix_socket_directories=$PWD" start > /dev/null
export PGPASSWORD=secret
createdb posthorn
psql -qc 'create table emails as select generate_series(1, 1000) as id'
touch -d '20 days ago' backups/posthorn-20200101T000000Z.dump backups/posthorn-20991231T000000Z.dump.part
touch -d '5 days ago' backups/posthorn-20991231T000000Z.dump

# The password of the environment must not be needed, and the first round fails, because there is no such database.
unset PGPASSWORD
start() { PASSWORD_FILE=/var/tmp/check/password FOLDER=/var/tmp/check/backups INTERVAL_SECONDS=1 KEEP_DAYS=14 "$@" & backup=$!; }
start env PGDATABASE=missing sh /etc/posthorn/dump-postgres 2> failed
until grep -q backup_failed failed; do sleep 0.2; done
kill $backup; wait $backup
ls backups | grep -q posthorn-20200101T000000Z.dump
start sh /etc/posthorn/dump-postgres > written
until [ "$(grep -c backup_written written)" -ge 2 ]; do sleep 0.2; done
kill $backup; wait $backup

export PGPASSWORD=secret
newest=$(ls backups/posthorn-2*.dump | grep -v 2099 | tail -n 1)
createdb restored
pg_restore --dbname restored "$newest"
echo "restored $(psql -Atd restored -c 'select count(*) from emails') rows from $(ls backups | grep -vc 2099) dumps"
ls -l backups
pg_ctl --pgdata data --mode immediate stop > /dev/null
END
setpriv --reuid postgres --regid postgres --clear-groups sh /var/tmp/check/run
`;

export const dumpPostgres: Check = {
  id: 'dump-postgres',
  title: 'The profile "backup" makes dumps that can be restored, and deletes old ones only after a newer one',
  async run() {
    const output = await runIsolatedPackage({
      packageName: 'postgresql',
      files: { '/etc/posthorn/dump-postgres': readFileSync(join(ROOT, 'deploy/compose/dump-postgres'), 'utf8') },
      script: SCRIPT,
    });
    const [line = ''] = /^restored 1000 rows from [2-9] dumps$/m.exec(output) ?? [];
    const expected = line !== '' && output.includes('posthorn-20991231T000000Z.dump');
    if (!expected || /20200101|\.part/.test(output)) throw new Error(output);
    return line;
  },
};
