import type { Token, Tokens } from 'marked'
import { lazy, memo, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { legible } from '../state/legible.ts'
import { markdownTokens } from '../state/markdown-tokens.ts'

/**
 * Markdown by its tokens, drawn as elements. No HTML of a text ever becomes HTML of the page: a tag shows as what was
 * typed, a picture as its link, and a link leads only to the web or to a mail address.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactNode {
  const all = useMemo(() => markdownTokens(legible(text.slice(0, LEGIBLE)) + text.slice(LEGIBLE)), [text])
  return (
    <div className="md">
      <Blocks tokens={all} />
    </div>
  )
})

/** Behind this nothing is drawn, so nothing there needs to be made legible. */
const LEGIBLE = 250_000
/** So many blocks, items or rows of one thing are drawn, and so many cells of one table. */
const MOST = 1000
const CELLS = 5000
const COLUMNS = 100
const CELLS_AT_ONCE = 150

/** A block is drawn again only when its own text has changed: a stream changes the last one. */
const Block = memo(
  ({ token }: { raw: string; token: Token }): ReactNode => block(token),
  (before, after) => before.raw === after.raw,
)

const Code = lazy(() => import('./code.tsx'))

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      return <p className={`h h${depth}`}>{inline(tokens)}</p>
    }
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>
    case 'code': {
      const { text, lang } = token as Tokens.Code
      return (
        <Suspense fallback={<pre className="code">{text}</pre>}>
          <Code text={text} language={lang?.split(/\s/)[0] ?? ''} />
        </Suspense>
      )
    }
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={(token as Tokens.Blockquote).tokens} />
        </blockquote>
      )
    case 'list':
      return <List {...(token as Tokens.List)} />
    case 'table':
      return <Table {...(token as Tokens.Table)} />
    case 'hr':
      return <hr />
    case 'html':
      return <p>{token.raw}</p>
    case 'rest':
      return <pre className="typed">{token.raw}</pre>
    default:
      return 'tokens' in token && token.tokens ? inline(token.tokens) : token.raw
  }
}

/** So many are drawn at once, and as many more with each frame: whoever types or scrolls does not wait for all of them. */
const PART = 30

function useGradually(count: number, part = PART): number {
  const [drawn, setDrawn] = useState(part)
  useEffect(() => {
    if (drawn >= count) return
    const frame = requestAnimationFrame(() => setDrawn(drawn + part))
    return () => cancelAnimationFrame(frame)
  }, [drawn, count, part])
  return drawn
}

function Blocks({ tokens }: { tokens: readonly Token[] }): ReactNode {
  const drawn = useGradually(Math.min(MOST, tokens.length))
  return (
    <>
      {tokens.slice(0, Math.min(MOST, drawn)).map((token, at) => (
        <Block key={at} raw={token.raw} token={token} />
      ))}
      {tokens.length > MOST && drawn >= MOST && <p>{more(tokens.length - MOST)}</p>}
    </>
  )
}

const more = (count: number): string => `… (${count.toLocaleString('en')} more)`

function List({ ordered, start, items }: Tokens.List): ReactNode {
  const drawn = useGradually(Math.min(MOST, items.length))
  const rows = items.slice(0, Math.min(MOST, drawn)).map((item, at) => (
    <li key={at} className={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label="done" />}
      <Blocks tokens={item.tokens} />
    </li>
  ))
  const cut = items.length > MOST && drawn >= MOST
  const all = cut ? [...rows, <li key="more">{more(items.length - MOST)}</li>] : rows
  return ordered ? <ol start={start === '' ? 1 : start}>{all}</ol> : <ul>{all}</ul>
}

function Table({ header, rows }: Tokens.Table): ReactNode {
  const columns = header.slice(0, COLUMNS)
  const most = Math.min(MOST, Math.ceil(CELLS / columns.length))
  const drawn = useGradually(Math.min(most, rows.length), Math.ceil(CELLS_AT_ONCE / columns.length))
  return (
    <div className="md-table">
      <table>
        <thead>
          <tr>
            {columns.map((cell, at) => (
              <th key={at}>{inline(cell.tokens)}</th>
            ))}
            {header.length > COLUMNS && <th>{more(header.length - COLUMNS)}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, Math.min(most, drawn)).map((row, at) => (
            <TableRow key={at} cells={row} />
          ))}
          {rows.length > most && drawn >= most && (
            <tr>
              <td colSpan={columns.length}>{more(rows.length - most)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

/** A row of a text that is read anew has other cells: then it is drawn again. */
const TableRow = memo(
  ({ cells }: { cells: readonly Tokens.TableCell[] }): ReactNode => (
    <tr>
      {cells.slice(0, COLUMNS).map((cell, column) => (
        <td key={column}>{inline(cell.tokens)}</td>
      ))}
    </tr>
  ),
)

const inline = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => <Inline key={`${at}${token.type}`} token={token} />)

function Inline({ token }: { token: Token }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens)}</em>
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens)}</del>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inline((token as Tokens.Link).tokens)}</Link>
    case 'image':
      return <Link href={(token as Tokens.Image).href}>picture: {(token as Tokens.Image).text || 'untitled'}</Link>
    case 'escape':
      return <>{(token as Tokens.Escape).text}</>
    case 'text': {
      const text = token as Tokens.Text
      return text.tokens ? inline(text.tokens) : plain(text.text)
    }
    default:
      return <>{token.raw}</>
  }
}

/** What leads elsewhere than to the web shows as the text that it is. */
function Link({ href, children }: { href: string; children: ReactNode }): ReactNode {
  if (!/^(https?:|mailto:)/i.test(href)) return <>{children}</>
  return (
    <a className="link" href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** The entities that writers of Markdown use. */
const plain = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
