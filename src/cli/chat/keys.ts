/** A pressed key, such as "enter", "alt-enter", "ctrl-c" or "up". "text" and "paste" carry what was typed or pasted. */
export interface Key {
  readonly name: string
  readonly text?: string
}

interface Keys {
  push(chunk: string): void
  /** Nothing followed for a while, so what looked like the beginning of a key is the whole key. */
  settle(): void
  /** Input is held back until more comes or `settle` is called. */
  readonly pending: boolean
}

/** Decodes keys, because Node's decoder breaks sequences of newer terminals, such as Shift-Enter, into characters. */
export function createKeys(onKey: (key: Key) => void): Keys {
  let rest = ''
  let pasted: string | undefined

  function step(last: boolean): boolean {
    if (pasted !== undefined) return paste()
    const [sequence, key] = next(rest, last)
    if (sequence === '') return false
    rest = rest.slice(sequence.length)
    if (key?.name === 'paste-start') pasted = ''
    else if (key) onKey(key)
    return rest !== ''
  }

  function paste(): boolean {
    const end = rest.indexOf(PASTE_END)
    // The end mark may arrive in two pieces, so the last characters are kept until it is whole.
    const ready = end >= 0 ? end : Math.max(0, rest.length - PASTE_END.length)
    pasted = `${pasted}${rest.slice(0, ready)}`.slice(0, PASTE_LIMIT)
    rest = rest.slice(end >= 0 ? end + PASTE_END.length : ready)
    if (end < 0) return false
    const text = pasted.replace(/\r\n?/g, '\n')
    pasted = undefined
    onKey({ name: 'paste', text })
    return rest !== ''
  }

  return {
    push(chunk) {
      rest += chunk
      while (step(false)) {}
    },
    settle() {
      if (pasted === undefined) while (step(true)) {}
    },
    get pending() {
      return rest !== '' && pasted === undefined
    },
  }
}

const PASTE_END = '\x1b[201~'
/** This only bounds memory: a text that is too long for a mail is refused later, with a sentence. */
const PASTE_LIMIT = 1024 * 1024

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the keys
const csi = /^\x1b\[([0-9;:?<>=]*)([@-~])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const csiBegun = /^\x1b(\[[0-9;:?<>=]*|O)?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const ss3 = /^\x1bO([A-Za-z])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const typed = /^[^\x00-\x1f\x7f]+/

/** The first key of the text, and the characters it took; '' when more has to come. */
function next(text: string, last: boolean): readonly [string, (Key | undefined)?] {
  if (text === '') return ['']
  const run = typed.exec(text)?.[0]
  if (run) return [run, { name: 'text', text: run }]
  if (!text.startsWith('\x1b')) return [text.slice(0, 1), control(text.charCodeAt(0))]
  const sequence = csi.exec(text) ?? ss3.exec(text)
  if (sequence)
    return [sequence[0], sequence.length === 3 ? named(sequence[1]!, sequence[2]!) : named('', sequence[1]!)]
  if (csiBegun.test(text)) return last ? [text, text === '\x1b' ? { name: 'escape' } : undefined] : ['']
  if (text.startsWith('\x1b\x1b')) return ['\x1b', { name: 'escape' }]
  const [letter] = text.slice(1)
  const plain = typed.test(letter!) ? { name: letter! } : control(text.charCodeAt(1))
  return [`\x1b${letter}`, plain && { name: `alt-${plain.name}` }]
}

const controls: Record<number, string> = {
  8: 'backspace',
  9: 'tab',
  10: 'ctrl-j',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
}

function control(code: number): Key | undefined {
  const name = controls[code] ?? (code >= 1 && code <= 26 ? `ctrl-${String.fromCharCode(96 + code)}` : undefined)
  return name ? { name } : undefined
}

const letters: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift-tab',
}
const numbers: Record<string, string> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  200: 'paste-start',
}

/** A control sequence: its parameters and its last letter. */
function named(parameters: string, letter: string): Key | undefined {
  // These are reports of the terminal about itself, the mouse and the focus, not keys.
  if (/^[?<>=]/.test(parameters)) return undefined
  const [first = '', second = '', third = ''] = parameters.split(';').map((part) => part.split(':')[0]!)
  if (letter === 'u') return fromCode(Number(first), second)
  if (letter === '~' && first === '27') return fromCode(Number(third), second)
  const name = letter === '~' ? numbers[first] : letters[letter]
  return name ? { name: modifiers(second) + name } : undefined
}

function fromCode(code: number, mask: string): Key | undefined {
  const with_ = modifiers(mask)
  const special = controls[code]
  if (special && code !== 8 && code !== 10) return { name: with_ + special }
  // Private codes are keys without a character, such as a modifier alone or a media key.
  if (!Number.isInteger(code) || code < 32 || code > 0x10ffff || (code >= 57_344 && code <= 63_743)) return undefined
  const text = String.fromCodePoint(code)
  return with_ === '' || with_ === 'shift-' ? { name: 'text', text } : { name: with_ + text }
}

/** xterm's mask: 1 + (1 shift, 2 alt, 4 ctrl). */
function modifiers(mask: string): string {
  const bits = Math.max(0, Number(mask || '1') - 1)
  return `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}`
}
