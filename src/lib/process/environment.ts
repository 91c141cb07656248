export type Variables = Readonly<Record<string, string | undefined>>

const allowed = new Set(['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'TZ'])

const isAllowed = (name: string): boolean => allowed.has(name) || name.startsWith('LC_')

/** Where its input is a socket, as ours are, bash reads ~/.bashrc and all the variables in it, unless a shell has run it. */
const BELOW_A_SHELL = '1'

/** A child process gets the variables any program needs and those declared for it, and nothing else of ours. */
export function childEnvironment(ours: Variables, declared: Variables = {}): Record<string, string> {
  const inherited = Object.entries(ours).filter(([name]) => isAllowed(name))
  const usual = [
    ['PATH', '/usr/local/bin:/usr/bin:/bin'],
    ['SHLVL', BELOW_A_SHELL],
  ]
  const given = [...usual, ...inherited, ...Object.entries(declared)]
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
