import { useVirtualizer } from '@tanstack/react-virtual'
import { lazy, type ReactNode, Suspense, useMemo, useRef } from 'react'
import { legible } from '../state/legible.ts'
import { Markdown } from './markdown.tsx'

const Code = lazy(() => import('./code.tsx'))

/** More than this is drawn line by line, as far as it is in sight. */
const WHOLE = 50_000
/** A line without an end would freeze the page. */
const LINE = 5000
const LINE_PX = 18

const languages: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  yml: 'yaml',
  html: 'xml',
  svg: 'xml',
  patch: 'diff',
}

/** The text of a file: Markdown read or as written, code coloured, long ones by the line. */
export function FileText({ path, text, raw = false }: { path: string; text: string; raw?: boolean }): ReactNode {
  const end = path.split('.').at(-1)?.toLowerCase() ?? ''
  if (text === '') return <p className="mute pad-view">The file is empty.</p>
  if (text.length > WHOLE || hasLongLine(text)) return <Lines text={text} />
  if (isMarkdown(path) && !raw)
    return (
      <div className="file-md">
        <Markdown text={text} />
      </div>
    )
  return (
    <Suspense fallback={<pre className="code">{text}</pre>}>
      <Code text={text} language={languages[end] ?? end} />
    </Suspense>
  )
}

export const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path)

const hasLongLine = (text: string): boolean => text.split('\n').some((line) => line.length > LINE)

function Lines({ text }: { text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => text.split('\n'), [text])
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 40,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <div ref={box} className="file-lines" tabIndex={0} role="document">
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <pre key={key} style={{ transform: `translateY(${start}px)` }}>
            <span className="n">{index + 1}</span>
            {legible(cut(lines[index] ?? ''))}
          </pre>
        ))}
      </div>
    </div>
  )
}

const cut = (line: string): string =>
  line.length > LINE ? `${line.slice(0, LINE)} … ${(line.length - LINE).toLocaleString('en')} more characters` : line
