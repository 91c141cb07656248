import type { Token, Tokens } from 'marked'
import { accent, dim, style } from './style.ts'

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const plain = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

/** Words with their emphasis. Line breaks stay, because models mean them. */
export const inline = (tokens: readonly Token[] | undefined): string => (tokens ?? []).map(word).join('')

function word(token: Token): string {
  switch (token.type) {
    case 'strong':
      return style('bold', inline(token.tokens))
    case 'em':
      return style('italic', inline(token.tokens))
    case 'del':
      return style('strikethrough', inline(token.tokens))
    case 'codespan':
      return accent((token as Tokens.Codespan).text)
    case 'link':
      return link(token as Tokens.Link)
    case 'image':
      return dim(`[image: ${(token as Tokens.Image).text}] (${(token as Tokens.Image).href})`)
    case 'br':
      return '\n'
    case 'checkbox':
      return (token as { checked?: boolean }).checked ? '[x] ' : '[ ] '
    case 'text':
      return token.tokens ? inline(token.tokens) : plain((token as Tokens.Text).text)
    case 'escape':
      return (token as Tokens.Escape).text
    default:
      return token.raw
  }
}

/** The address is written out, because a link whose name hides its target can fool people. */
function link({ href, text, tokens }: Tokens.Link): string {
  const name = inline(tokens)
  if (text === href || `mailto:${text}` === href) return style('underline', name)
  return `${style('underline', name)} ${dim(`(${href})`)}`
}
