/** Letters of other scripts that pass for Latin ones; the forms that Unicode itself calls variants need no place here. */
const twins: Readonly<Record<string, string>> = {
  a: 'аɑα⍺ᴀ',
  c: 'сϲᴄ',
  d: 'ԁɖᴅ',
  e: 'еҽєεᴇ',
  f: 'ғքϝꜰ',
  g: 'ɡցԍɢ',
  h: 'һհʜ',
  i: 'іıɩιӏɪ',
  j: 'јϳᴊ',
  k: 'кκᴋ',
  l: 'ⅼʟӏ',
  m: 'мᴍ',
  n: 'пոռηɴ',
  o: 'оοօσᴏ',
  p: 'рρᴘ',
  q: 'ԛգզ',
  r: 'гᴦⲅʀ',
  s: 'ѕꜱ',
  t: 'тτᴛ',
  u: 'υʋսᴜ',
  v: 'νѵᴠ',
}
const latin = new Map(Object.entries(twins).flatMap(([letter, others]) => [...others].map((it) => [it, letter])))

/** Alphabets that are pictures: letters in black circles and squares, of flags, and invisible tags, each with its first. */
const pictured = [
  { first: 0x1f150, count: 26, stands: 'a' },
  { first: 0x1f170, count: 26, stands: 'a' },
  { first: 0x1f1e6, count: 26, stands: 'a' },
  { first: 0xe0020, count: 95, stands: ' ' },
]

const square = /[[\u{e005b}⎡⎢⎣⌈⌊]|(?![({<（｛＜„‚〈⟨⟪《])\p{Ps}/gu
const closed = /[›»〉⟩⟫》❯❱ᐳ˃≻]/gu
const angle = /[<\u{e003c}＜﹤‹«〈⟨⟪《❮❰ᐸ˂≺]/gu

const LINE = '[^\\n\\r\\v\\f\\u0085\\u2028\\u2029]'

/** Where a mark may be: what opens it, whatever character does, and the piece of text that is looked at as a whole. */
interface MarkKind {
  readonly opening: RegExp
  readonly piece: RegExp
}

/** `[message …` stands at the beginning of a line; `<project>` anywhere, and goes no further than the next such sign. */
export const squareMark: MarkKind = { opening: square, piece: new RegExp(`${LINE}+`, 'gu') }
export const angleMark: MarkKind = {
  opening: angle,
  piece: new RegExp(`${angle.source}(?:(?!${angle.source})${LINE})*`, 'gu'),
}

/** Text as a reader takes it in: no invisible characters, every letter and bracket as its plain twin, in lower case. */
function fold(line: string): string {
  const plain = line
    .replace(/[\u{1f150}-\u{1f1ff}\u{e0020}-\u{e007e}]/gu, unpictured)
    .replace(square, '[')
    .replace(angle, '<')
    .replace(closed, '>')
  const letters = plain.normalize('NFKD').replace(/\p{M}|\p{Default_Ignorable_Code_Point}|[^\P{C}\t]/gu, '')
  return letters.toLowerCase().replace(/[^\p{ASCII}]/gu, (letter) => latin.get(letter) ?? letter)
}

function unpictured(character: string): string {
  const code = character.codePointAt(0)!
  const alphabet = pictured.find(({ first, count }) => code >= first && code < first + count)
  return alphabet ? String.fromCodePoint(alphabet.stands.codePointAt(0)! + code - alphabet.first) : character
}

/** Where a piece of text reads like `imitation`, once folded, whatever opens the mark is replaced. */
export const disarm = (
  text: string,
  { opening, piece }: MarkKind,
  imitation: RegExp,
  replace: (opening: string) => string,
): string =>
  text.search(opening) === -1
    ? text
    : text.replace(piece, (it) =>
        it.search(opening) !== -1 && imitation.test(fold(it)) ? it.replace(opening, replace) : it,
      )
