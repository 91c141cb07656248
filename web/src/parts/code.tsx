import { common, createLowlight } from 'lowlight'
import { memo, type ReactNode, useMemo } from 'react'
import { legible } from '../state/legible.ts'

type Tree = ReturnType<typeof lowlight.highlight>
type Piece = Tree['children'][number]

const lowlight = createLowlight(common)

/** More than this is shown without colours: they would hold up the page. */
const COLOURED = 20_000

/** Code with its words coloured, drawn as elements. */
const Code = memo(function Code({ text: written, language }: { text: string; language: string }): ReactNode {
  const text = useMemo(() => legible(written), [written])
  const pieces = useMemo(
    () => (text.length <= COLOURED && lowlight.registered(language) ? lowlight.highlight(language, text).children : []),
    [text, language],
  )
  return (
    <pre className="code">
      <code>{pieces.length === 0 ? text : pieces.map(draw)}</code>
    </pre>
  )
})

function draw(piece: Piece, at: number): ReactNode {
  if (piece.type === 'text') return piece.value
  if (piece.type !== 'element') return null
  const names = piece.properties.className
  return (
    <span key={at} className={Array.isArray(names) ? names.map(tone).join(' ') : undefined}>
      {piece.children.map((child, inside) => draw(child as Piece, inside))}
    </span>
  )
}

/** Four colours are enough to read by. */
const tones: Readonly<Record<string, string>> = {
  'hljs-keyword': 'k',
  'hljs-built_in': 'k',
  'hljs-type': 'k',
  'hljs-literal': 'k',
  'hljs-string': 'st',
  'hljs-regexp': 'st',
  'hljs-attr': 'fn',
  'hljs-title': 'fn',
  'hljs-name': 'fn',
  'hljs-number': 'nu',
  'hljs-comment': 'cm',
  'hljs-quote': 'cm',
}

const tone = (name: string | number): string => tones[String(name)] ?? ''

export default Code
