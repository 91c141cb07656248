import { basename } from 'node:path'
import type { Program } from './program.ts'
import { programs } from './programs.ts'
import { programName, type Word } from './words.ts'

/** A file that a command is given, or finds by itself. */
export interface GivenFile {
  readonly path: string
  readonly access: 'read' | 'write'
  /** A folder is gone through. */
  readonly deep: boolean
  /** Only where the folder in it is one: a file may be put there under its old name. */
  readonly maybe?: true
}

/** What is known of a command by its words alone. */
export interface Understanding {
  readonly files: readonly GivenFile[]
  /** A word that makes the program do more than its name says. Only a rule that has the word covers the command. */
  readonly hazard?: { readonly at: number; readonly why: string }
  /** It takes no files, so that a text which is known only when it runs does no harm. */
  readonly fileless: boolean
  /** Later paths of the line may lead elsewhere. */
  readonly plants: boolean
  /** Goes where the links in a folder lead. */
  readonly follows: boolean
  /** Earlier ones do not make it reach other files. */
  readonly steady: boolean
  /** Another repository that git talks to, by its address or its name. */
  readonly remote?: string
  /** It opens an editor: what would spare it. */
  readonly editor?: string
}

export function understand(words: readonly Word[]): Understanding {
  const name = programName(words[0]) ?? ''
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined
  // A relative path names a script of the project, whatever it is called.
  const isByPath = words[0]?.text !== name
  if (program === undefined || (isByPath && !words[0]?.text.startsWith('/'))) return unknownProgram(words, name)
  if (isByPath) {
    const { hazard } = understand([{ text: name, known: true }, ...words.slice(1)])
    return { ...unknownProgram(words, name), ...(hazard ? { hazard } : {}) }
  }
  const chosen = choose(words, program)
  if (chosen.program !== undefined) return read(words, chosen.at, chosen.program)
  const why = `what ${name} does with ${words[chosen.at]?.text ?? 'nothing'} is not known here`
  return { ...unknownProgram(words, name), hazard: { at: chosen.at, why } }
}

/** Everything that looks like a path may be read and written. */
function unknownProgram(words: readonly Word[], name: string): Understanding {
  const isScript = words[0]?.text.includes('/') ?? false
  const paths = words.slice(isScript ? 0 : 1).flatMap(({ text, known }) => (known ? pathsIn(text) : []))
  const files = paths.flatMap((path) => (['read', 'write'] as const).map((access) => ({ path, access, deep: true })))
  const hazard = isScript
    ? {}
    : { hazard: { at: words.length, why: `${name} is not a program whose options are known here` } }
  // A script of the project does what it does; only where it is can be told.
  return {
    files: isScript ? files.filter(({ path, access }) => access === 'read' || path !== words[0]?.text) : files,
    ...hazard,
    fileless: false,
    plants: false,
    follows: false,
    steady: false,
  }
}

function pathsIn(text: string): string[] {
  if (!text.startsWith('-')) return [text, ...(/^[\w.-]+=(.+)$/s.exec(text)?.slice(1) ?? [])]
  const value = /=(.+)$/s.exec(text)?.[1] ?? /^-\w+?([~/.].*)$/s.exec(text)?.[1]
  return value === undefined ? [] : [value]
}

/** The program or, where the first operand chooses among commands, that command, and where its own words begin; or the word that is no command of it. */
function choose(words: readonly Word[], program: Program, from = 1): { at: number; program: Program | undefined } {
  if (program.commands === undefined) return { at: from, program }
  const at = words.findIndex(({ text }, index) => index >= from && !program.before?.includes(text))
  if (at < 0) return { at: words.length, program }
  const { text, known } = words[at]!
  const chosen = known && Object.hasOwn(program.commands, text) ? program.commands[text] : undefined
  return chosen ? choose(words, chosen, at + 1) : { at, program: undefined }
}

function read(words: readonly Word[], from: number, program: Program): Understanding {
  const roles = rolesOf(program)
  const files: GivenFile[] = []
  const operands: { word: Word; at: number }[] = []
  const options: { name: string; value: Word | undefined; at: number }[] = []
  const given = new Set<string>()
  const has = (options: readonly string[] = []): boolean =>
    options.some((one) => [...given].some((each) => each === one || (each.length > 2 && one.startsWith(each))))
  let hazard: Understanding['hazard']
  let ended = false
  let rewrites = false
  const stop = (at: number, why: string): void => {
    // The last such word decides what a rule has to say.
    if (hazard === undefined || at >= hazard.at) hazard = { at, why }
  }
  const add = (path: string, access: GivenFile['access']): void => void files.push({ path, access, deep: false })

  for (let at = from; at < words.length; at += 1) {
    const word = words[at]!
    if (roles.matter && (word.splits || (word.leads && !ended)))
      stop(Number.POSITIVE_INFINITY, `${word.text} may be an option when it runs`)
    if (ended || !word.known || !/^-./.test(word.text)) {
      if (program.letters && at === from) for (const letter of word.text) given.add(letter)
      operands.push({ word, at })
      ended ||= program.ends === true
    } else if (word.text === '--' && !program.words) ended = true
    else at = option(at)
  }
  const seen = { words, operands, options, has }
  const wrong = program.check?.(seen)
  const editor = program.editor?.(seen)
  if (wrong) stop(wrong.at, `${words[wrong.at]?.text ?? 'this'} ${wrong.why}`)
  sort(operands, program, {
    add,
    stop,
    rewrites,
    patternless: has(['e', 'f', '--regexp', '--file', '--files', '--expression', '--from-file', '--reference']),
  })
  if (program.operands === 'last' || program.into)
    files.push(
      ...placed(
        files,
        operands.map(({ word }) => word.text),
      ),
    )
  const deep = program.deep === true || has(program.deep)
  if (deep && program.here && files.length === 0) add('.', 'read')
  const plants = program.plants === true || has(program.plants)
  if (program.everywhere && (plants || !program.plants)) add('.', program.everywhere)
  return {
    files: files.map((file) => ({ ...file, deep })),
    ...(hazard ? { hazard } : {}),
    fileless: program.operands === 'text' && !roles.matter,
    plants,
    follows: program.follows === true,
    steady: program.steady === true,
    ...(editor === undefined ? {} : { editor }),
    ...(program.remote && operands[0] ? { remote: operands[0].word.text } : {}),
  }

  /** Reads the option at this place; returns the place of its last word. */
  function option(at: number): number {
    const { text } = words[at]!
    // Not every program takes options behind its first operand: for some it is the file to write.
    if (program.operands === 'single' && operands.length > 0) stop(at, `${text} may be written`)
    if (program.words || text.startsWith('--')) {
      const [name = '', value] = cut(program.words ? text.replace(/^--/, '-') : text)
      given.add(name)
      return act(roles.long(name), name, value, at)
    }
    for (let letter = 1; letter < text.length; letter += 1) {
      const name = text[letter]!
      const role = roles.short(name)
      given.add(name)
      const rest = text.slice(letter + 1)
      if (role !== '') return act(role, `-${name}`, rest === '' ? undefined : rest, at)
      if (!/[A-Za-z0-9#]/.test(name)) {
        stop(at, `${text} is not known here`)
        return at
      }
    }
    return at
  }

  function act(role: string, name: string, attached: string | undefined, at: number): number {
    const separate = attached === undefined && ['!!', '!>', ':', '<', '>', '@'].includes(role)
    const value = separate ? words[at + 1] : attached === undefined ? undefined : { text: attached, known: true }
    options.push({ name, value, at: separate ? at + 1 : at })
    rewrites ||= role === '!+'
    if (role.startsWith('!')) stop(separate ? at + 1 : at, `${name} makes the program do more than its name says`)
    // What such an option is given may be a file.
    if (role === '!!' || (role === '!' && program.closed))
      for (const { text, known } of [...(value ? [value] : []), ...words.slice(at + 1, at + 3)])
        if (known && !text.startsWith('-')) for (const access of ['read', 'write'] as const) add(text, access)
    if (value?.splits) stop(Number.POSITIVE_INFINITY, `what ${name} is given may be several words`)
    if (value && !value.known && role !== '' && role !== ':' && role !== '=')
      stop(words.length, `what ${name} names is known only when it runs`)
    else if (value && ['<', '>', '!>'].includes(role)) add(value.text, role === '<' ? 'read' : 'write')
    else if (value && role === '@') uploaded(name, value.text)
    else if (value && role === '') add(value.text, isReader(program) ? 'read' : 'write')
    return separate ? at + 1 : at
  }

  /** `@file`, `name=@file`, and for one option `name@file`. */
  function uploaded(name: string, text: string): void {
    const path = (name.startsWith('--data-u') ? /^[^=]*?@(.+)$/s : /(?:^|=)[@<](.+)$/s).exec(text)?.[1]
    if (path === undefined) return
    if (/[;,"\\]/.test(path)) stop(Number.POSITIVE_INFINITY, `which files ${name} sends is not understood`)
    for (const one of [path, ...path.split(/[;,]/)]) add(one.replace(/^"|"$/g, ''), 'read')
  }
}

/** `cp a sub` writes `sub/a`; `ln sub/a` writes `a`. */
function placed(files: readonly GivenFile[], operands: readonly string[]): GivenFile[] {
  const option = files.find(({ path, access }) => access === 'write' && !operands.includes(path))
  const isAlone = operands.length === 1
  const folder = option?.path ?? (isAlone ? '.' : operands.at(-1))
  const moved = option === undefined && !isAlone ? operands.slice(0, -1) : operands
  return moved.map((path) => ({ path: `${folder}/${basename(path)}`, access: 'write', deep: false, maybe: true }))
}

const isReader = ({ operands }: Program): boolean => ['read', 'pattern', 'single', 'text'].includes(operands ?? '')

const cut = (text: string): [string, string | undefined] => {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

interface Sorting {
  readonly patternless: boolean
  /** An option makes the program write the files that it reads. */
  readonly rewrites: boolean
  add(path: string, access: GivenFile['access']): void
  stop(at: number, why: string): void
}

function sort(
  operands: readonly { word: Word; at: number }[],
  program: Program,
  { add, stop, patternless, rewrites }: Sorting,
): void {
  const kind = program.operands ?? 'text'
  const isFirstSpecial = (kind === 'mode' || kind === 'pattern') && !patternless
  const isLastSpecial = kind === 'last' || program.into === true
  const special = isFirstSpecial ? operands[0] : isLastSpecial && operands.length > 1 ? operands.at(-1) : undefined
  if (special?.word.found)
    stop(Number.POSITIVE_INFINITY, `which of its files is ${special.word.text} depends on the language`)
  for (const [index, { word, at }] of operands.entries()) {
    const isFirst = index === 0
    if (kind === 'text' || (isFirst && isFirstSpecial)) continue
    if (kind === 'none' || (kind === 'single' && !isFirst)) stop(at, `${word.text} may be written`)
    if (!word.known) {
      stop(Number.POSITIVE_INFINITY, `what ${word.text} stands for is known only when it runs`)
      continue
    }
    const isLast = index === operands.length - 1
    const writes = rewrites || ['write', 'change', 'mode'].includes(kind) || (kind === 'last' && isLast)
    const reads = !writes || rewrites || kind === 'change'
    // `of=file`, `main:file` and `@file` name a file too.
    const values = [
      ...(program.ends && word.text.startsWith('-') ? [] : [word.text]),
      ...(/^[\w.-]+=(.+)$/s.exec(word.text)?.slice(1) ?? []),
      ...(/^[^/:]*:([^/].*)$/s.exec(word.text)?.slice(1) ?? []),
      ...(/^@(.+)$/s.exec(word.text)?.slice(1) ?? []),
    ]
    for (const path of values) {
      if (reads) add(path, 'read')
      if (writes) add(path, 'write')
    }
  }
}

interface Roles {
  /** Some of its options do more than print in another way. */
  readonly matter: boolean
  short(name: string): string
  long(name: string): string
}

const known = new WeakMap<Program, Roles>()

function rolesOf(program: Program): Roles {
  const made = known.get(program) ?? makeRoles(program)
  known.set(program, made)
  return made
}

function makeRoles({ options = '', closed, words, operands = 'text' }: Program): Roles {
  const roles = new Map(
    options
      .split(' ')
      .filter(Boolean)
      .map((one) => {
        const [, name = '', role = ''] = /^(.+?)(!!|!>|!\+|[!:=<>@])?$/.exec(one) ?? []
        return [name, role] as const
      }),
  )
  const otherwise = closed ? '!' : ''
  return {
    matter: closed === true || operands !== 'text' || [...roles.values()].some((role) => /[!<>@]/.test(role)),
    short: (name) => roles.get(name) ?? otherwise,
    long(name) {
      const exact = roles.get(name)
      if (exact !== undefined || words) return exact ?? otherwise
      // Programs accept the beginning of a long option for the whole.
      const meant = [...roles]
        .filter(([each]) => each.startsWith('--') && each.startsWith(name))
        .map(([, role]) => role)
      const doubt = meant.some((role) => role !== '' && role !== '=') ? '!' : undefined
      return meant.find((role) => role.startsWith('!')) ?? doubt ?? meant[0] ?? otherwise
    },
  }
}
