import type { WebhookFormat } from '../../contract/channels.ts'
import type { InboxId } from '../../contract/ids.ts'
import type { InboxKind } from '../../contract/inbox.ts'
import { iso } from '../../lib/clock.ts'
import { clip, shorten } from '../../lib/shorten.ts'
import { cutTo } from '../../lib/text.ts'
import type { InboxRow } from '../../store/tables.ts'

/** What a channel is told of an item. Its words are those of agents, so they are sent as text and never as markup. */
export interface ToldItem {
  readonly item: InboxRow
  readonly options: readonly string[]
  /** Where it comes from: `assistant 1a2b › writer 6fe8`. */
  readonly from: string
  readonly link: string | undefined
  /** What else waits for the person and is told with it. */
  readonly along: readonly Along[]
}

interface Along {
  readonly inbox_id: InboxId
  readonly kind: InboxKind
  readonly title: string
}

const TITLE = 200
const BODY = 1500
const OPTION = 200
/** Slack refuses a text that is longer. */
const SLACK = 3000

/** The body of a webhook in the words of its receiver. */
export const bodyFor: Readonly<Record<WebhookFormat, (told: ToldItem) => object>> = {
  json: ({ item, options, from, link, along }) => ({
    item: {
      id: item.id,
      kind: item.kind,
      title: item.title,
      body: cutTo(item.body, 20_000, unread),
      project: item.project_id,
      from,
      options,
      createdAt: iso(item.created_at),
    },
    ...(link && { answer: link }),
    ...(along.length > 0 && { along: along.map(({ inbox_id, kind, title }) => ({ id: inbox_id, kind, title })) }),
  }),
  slack: (told) => ({
    text: slackText(headline(told)),
    // Whoever looks at an address in an agent's words gets what the agent wrote into it.
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: headline(told) } },
      { type: 'section', text: { type: 'plain_text', text: clip(details(told), SLACK) } },
      ...(told.link
        ? [
            {
              type: 'actions',
              elements: [{ type: 'button', text: { type: 'plain_text', text: 'Answer' }, url: told.link }],
            },
          ]
        : []),
    ],
  }),
  // Addresses are looked at in `content` only, so the words of agents are beside it.
  discord: (told) => ({
    content: withoutMarkup(clip(source(told), 200)),
    embeds: [
      {
        title: clip(withoutMarkup(shorten(told.item.title, TITLE)), 250),
        description: clip(withoutMarkup(details(told)), 4000),
        ...(told.link && { url: told.link }),
      },
    ],
    // No word of an agent calls anybody.
    allowed_mentions: { parse: [] },
  }),
  teams: (told) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          version: '1.4',
          body: [
            { type: 'TextBlock', text: withoutMarkup(headline(told)), weight: 'bolder', wrap: true },
            // One line feed is a blank there.
            { type: 'TextBlock', text: withoutMarkup(details(told)).replaceAll('\n', '\n\n'), wrap: true },
          ],
          ...(told.link && { actions: [{ type: 'Action.OpenUrl', title: 'Answer', url: told.link }] }),
        },
      },
    ],
  }),
}

export const headline = (told: ToldItem): string => shorten(`${source(told)}: ${told.item.title}`, TITLE)

const source = ({ item, from }: ToldItem): string => `${item.kind}${from === '' ? '' : ` from ${from}`}`

/** The item's words, what can be answered, and how. */
function details({ item, options, link, along }: ToldItem): string {
  const choices = options.map((option, at) => `${at + 1}. ${shorten(option, OPTION)}`)
  const how = link === undefined ? `Answer in a terminal: troupe inbox show ${item.id.replace(/^inbox_/, '')}` : ''
  const words = cutTo(item.body.trim() || item.title, BODY, unread)
  return [words, how, ...choices, ...others(along)].filter(Boolean).join('\n')
}

const unread = (missing: number): string => `… ${missing} more characters, not shown here`

const NAMED = 10

function others(along: readonly Along[]): string[] {
  if (along.length === 0) return []
  const named = along.slice(0, NAMED).map(({ kind, title }) => `- ${kind}: ${shorten(title, 100)}`)
  const rest = along.length > NAMED ? [`- and ${along.length - NAMED} more`] : []
  return [`${along.length} more wait for you; see them all with: troupe inbox`, ...named, ...rest]
}

export const mailBody = (told: ToldItem): string =>
  [details(told), ...(told.link ? [`Answer here, once, within a day:\n${told.link}`] : [])].join('\n\n')

/** In Slack these three characters make links and mentions. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Markdown makes a character of its name (`&#x202e;`): what is hidden would come back after it was made visible. */
const withoutMarkup = (text: string): string =>
  text.replace(/[\\*_~`|>[\]()#@]|&(?=#?\w{1,32};)/g, (char) => `\\${char}`)
