export type ManagerName = 'apt-get' | 'dnf' | 'apk' | 'pacman' | 'brew';

type PackageManager = {
  readonly name: ManagerName;
  /** A shell script that installs a package without prompts. */
  readonly script: (name: string) => string;
  /** Whether the script must run as root. Homebrew refuses to run as root. */
  readonly asRoot: boolean;
  /** The install command to show in messages, without the package name. */
  readonly installCommand: string;
};

/** The package managers, in the order in which they are tried. */
export const packageManagers: readonly PackageManager[] = [
  { name: 'apt-get', script: aptScript, asRoot: true, installCommand: 'apt-get install' },
  { name: 'dnf', script: (name) => `dnf install -y ${name}`, asRoot: true, installCommand: 'dnf install' },
  {
    name: 'apk',
    script: (name) => `apk add --no-cache --wait 600 ${name}`,
    asRoot: true,
    installCommand: 'apk add',
  },
  {
    name: 'pacman',
    script: (name) => `pacman -S --noconfirm --needed ${name}`,
    asRoot: true,
    installCommand: 'pacman -S',
  },
  { name: 'brew', script: (name) => `brew install ${name}`, asRoot: false, installCommand: 'brew install' },
];

/**
 * A server that is installed from a Debian package starts as a system service. A policy-rc.d that exits with 101 ("not
 * allowed") prevents this (invoke-rc.d(8)), and the service is disabled so that it does not start at the next boot.
 * Packages on other systems do not start a service. The lock makes concurrent installs wait, so that one does not
 * delete the policy-rc.d of another. The package lists are updated only if the first attempt to install fails.
 */
function aptScript(name: string): string {
  return `
  exec 9>/run/posthorn-install.lock
  flock 9
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > $policy
    chmod 755 $policy
  fi
  export DEBIAN_FRONTEND=noninteractive
  get() { timeout 300 apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"; }
  install() { get install --no-install-recommends ${name}; }
  install || { get update && install; } || exit 1
  if [ -d /run/systemd/system ] && systemctl cat ${name}.service; then systemctl disable ${name}; fi
  true
`;
}
