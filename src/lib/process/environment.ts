export type Variables = Readonly<Record<string, string | undefined>>

const allowed = new Set(['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'TZ'])

const isAllowed = (name: string): boolean => allowed.has(name) || name.startsWith('LC_')

/** A child process gets the variables any program needs and those declared for it, and nothing else of ours. */
export function childEnvironment(ours: Variables, declared: Variables = {}): Record<string, string> {
  const inherited = Object.entries(ours).filter(([name]) => isAllowed(name))
  const given = [['PATH', '/usr/local/bin:/usr/bin:/bin'], ...inherited, ...Object.entries(declared)]
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
