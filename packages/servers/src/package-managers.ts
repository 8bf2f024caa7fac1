/** A system's package manager, by the command that people know it by. */
export type ManagerName = 'apt-get' | 'dnf' | 'apk' | 'pacman' | 'brew';

type PackageManager = {
  readonly program: ManagerName;
  /** Shell text that installs a package without asking anything. */
  readonly script: (name: string) => string;
  /** Homebrew installs as the user and refuses root. */
  readonly asRoot: boolean;
  /** What a person would type before the package's name. */
  readonly byHand: string;
};

/** In the order in which they are looked for. */
export const packageManagers: readonly PackageManager[] = [
  { program: 'apt-get', script: aptScript, asRoot: true, byHand: 'apt-get install' },
  { program: 'dnf', script: (name) => `dnf install -y ${name}`, asRoot: true, byHand: 'dnf install' },
  { program: 'apk', script: (name) => `apk add --no-cache --wait 600 ${name}`, asRoot: true, byHand: 'apk add' },
  {
    program: 'pacman',
    script: (name) => `pacman -S --noconfirm --needed ${name}`,
    asRoot: true,
    byHand: 'pacman -S',
  },
  { program: 'brew', script: (name) => `brew install ${name}`, asRoot: false, byHand: 'brew install' },
];

/**
 * Debian's packages start a service of their own: a policy-rc.d that answers 101 ("not allowed")
 * prevents it (invoke-rc.d(8)), and it is disabled for the next boot. The others do not start it.
 * Of two who install at once the second waits, so that the first does not take the policy from it.
 * The package lists are fetched only when the package is not found with those at hand.
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
