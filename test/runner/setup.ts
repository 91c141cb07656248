/** Runs before the tests: installs the programs that they need besides Node, where this machine lets us. */
import { spawnSync } from 'node:child_process'

/** Program on PATH → Debian package. */
const needed = {
  git: 'git',
  rg: 'ripgrep',
  tmux: 'tmux',
  bwrap: 'bubblewrap',
  socat: 'socat',
  script: 'bsdutils',
  zsh: 'zsh',
  fish: 'fish',
  // Drives the page.
  chromium: 'chromium',
}

const APT_MS = 180_000

const missing = Object.entries(needed)
  .filter(
    ([program]) =>
      spawnSync(program, [program === 'socat' ? '-V' : '--version'], { stdio: 'ignore' }).error !== undefined,
  )
  .map(([, name]) => name)

if (missing.length > 0 && !install(missing)) {
  console.error(
    `!!! NOT INSTALLED: ${missing.join(', ')}. Tests that need them say so; install them with your package manager.`,
  )
}

function install(packages: readonly string[]): boolean {
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const apt = (...args: string[]): boolean => {
    const [command = '', ...rest] = [...prefix, 'apt-get', ...args]
    console.log(`$ ${[command, ...rest].join(' ')}`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    return spawnSync(command, rest, { stdio: 'inherit', timeout: APT_MS, env }).status === 0
  }
  const get = (): boolean => apt('install', '-y', '--no-install-recommends', ...packages)
  // Lists may be missing or old; a second try after fetching them is worth it, a third is not.
  return get() || (apt('update') && get())
}
