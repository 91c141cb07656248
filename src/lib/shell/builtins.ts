import { NotUnderstood } from './syntax.ts'
import { programName, type Word } from './words.ts'

/** Builtins that change what later words, programs and folders mean. */
const changing = new Set(
  'builtin exec wait export declare typeset local readonly unset alias unalias shopt hash enable bind complete compgen compopt mapfile readarray read getopts let umask ulimit source . trap eval pushd popd dirs caller fg bg disown suspend logout history fc return break continue shift coproc'.split(
    ' ',
  ),
)

/** A command after which nothing that follows is what it looks like ends the reading. */
export function refuseChanging(words: readonly Word[]): void {
  const name = programName(words[0])
  if (name === undefined) throw new NotUnderstood('which program runs is known only when it runs')
  if (changing.has(name) || (name === 'set' && !isPlainSet(words)))
    throw new NotUnderstood(`${name} changes what follows`)
  if (name === 'printf' && !isPlainFormat(words)) throw new NotUnderstood('printf may set a variable')
}

const isPlainSet = (words: readonly Word[]): boolean =>
  words.slice(1).every(({ text }) => /^-[eux]+$|^-[eux]*o$|^(pipefail|errexit|nounset)$/.test(text))

/** `-v` and `%n` set a variable; `%ln` does too. */
const isPlainFormat = ([, format]: readonly Word[]): boolean =>
  format?.known === true && /^(?!-)(%[-+ #0\d.*]*[diouxXeEfgGcsbq%]|[^%])*$/s.test(format.text)
