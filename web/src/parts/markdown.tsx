import { Lexer, type Token, type Tokens } from 'marked'
import { lazy, memo, type ReactNode, Suspense, useMemo } from 'react'
import { legible } from '../state/legible.ts'

/**
 * Markdown by its tokens, drawn as elements. No HTML of a text ever becomes HTML of the page: a tag shows as what was
 * typed, a picture as its link, and a link leads only to the web or to a mail address.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactNode {
  const blocks = useMemo(() => new Lexer({ gfm: true, breaks: false }).lex(bounded(text)), [text])
  return (
    <div className="md">
      {blocks.map((block, at) => (
        <Block key={at} raw={block.raw} token={block} />
      ))}
    </div>
  )
})

/** More than this of one message is not drawn; the whole is in its export. */
const SHOWN = 200_000
/** A line without an end would freeze the page. */
const LINE = 20_000

const bounded = (text: string): string =>
  legible(cut(text, SHOWN))
    .split('\n')
    .map((line) => cut(line, LINE))
    .join('\n')

const cut = (text: string, at: number): string =>
  text.length > at ? `${text.slice(0, at)} … (${(text.length - at).toLocaleString()} more characters)` : text

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
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr />
    case 'html':
      return <p>{token.raw}</p>
    default:
      return 'tokens' in token && token.tokens ? inline(token.tokens) : token.raw
  }
}

const blocks = (tokens: readonly Token[]): ReactNode =>
  tokens.map((token, at) => <Block key={at} raw={token.raw} token={token} />)

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, at) => (
    <li key={at} className={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label="done" />}
      {blocks(item.tokens)}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

const table = ({ header, rows }: Tokens.Table): ReactNode => (
  <div className="md-table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at}>{inline(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
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
