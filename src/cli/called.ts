import { realpathSync } from 'node:fs'
import { delimiter, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program's own file. */
export const program = fileURLToPath(new URL('../../bin/troupe.mjs', import.meta.url))

/** How the program is called from where the person is. Every command that we tell a person to type begins with it. */
export const troupe = calledFrom(program, process.env.PATH ?? '', here())

/** The same sentence with commands that work here. The server cannot know how its clients are called. */
export const asCalled = (sentence: string): string =>
  sentence.replaceAll(/(?<=^\s*|["`]|: )troupe (?=[a-z-])/gm, `${troupe} `)

/** "troupe" where the shell finds it, "npx troupe" where npm does, else the file itself. */
export function calledFrom(file: string, path: string, folder: string): string {
  if (path.split(delimiter).some((place) => !npmAdds(place) && isSame(join(place, 'troupe'), file))) return 'troupe'
  if (file.includes(`${sep}node_modules${sep}`)) return 'npx troupe'
  const short = relative(folder, file)
  const shown = short.startsWith('..') ? file : short
  return `node ${/^[\w./\\:@+-]+$/.test(shown) ? shown : `"${shown}"`}`
}

/** npm puts such folders in front while it runs a script; they are not on the person's own path. */
function npmAdds(folder: string): boolean {
  return folder.endsWith(join('node_modules', '.bin'))
}

/** The folder that we were started in may be gone. */
function here(): string {
  try {
    return process.cwd()
  } catch {
    return sep
  }
}

function isSame(link: string, file: string): boolean {
  try {
    return realpathSync(link) === realpathSync(file)
  } catch {
    return false
  }
}
