import { expect, test } from 'vitest'
import type { InboxRow } from '../../store/tables.ts'
import { bodyFor, headline, mailBody, type ToldItem } from './formats.ts'

const SPITE = '@everyone <!channel> <@U1> [free](https://evil.example/?q=secret) https://evil.example/a_b **now**'

const told = (more: Partial<InboxRow> = {}, rest: Partial<ToldItem> = {}): ToldItem => ({
  item: {
    id: 'inbox_abc',
    kind: 'question',
    title: 'Red or green?',
    body: 'Red or green?',
    project_id: 'p',
    created_at: 0,
    ...more,
  } as InboxRow,
  options: [],
  from: 'assistant 1a2b',
  link: 'https://troupe.example.org/answer/x',
  along: [],
  ...rest,
})

interface Card {
  body: { text: string }[]
  actions?: { url: string }[]
}
interface Slack {
  text: string
  blocks: { text?: { type: string; text: string }; elements?: { url: string }[] }[]
}
interface Discord {
  content: string
  embeds: { title: string; description: string; url?: string }[]
}
const slack = (one: ToldItem) => bodyFor.slack(one) as Slack
const discord = (one: ToldItem) => bodyFor.discord(one) as Discord
const teams = (one: ToldItem) => (bodyFor.teams(one) as { attachments: { content: Card }[] }).attachments[0]!.content

test('in Slack no word of an agent calls anybody, becomes a link, or has an address looked at', () => {
  const body = slack(told({ title: SPITE, body: SPITE }))
  expect(body).toMatchObject({ unfurl_links: false, unfurl_media: false })
  expect(body.text).not.toMatch(/[<>]/)
  expect(body.text).toContain('&lt;!channel&gt;')
  expect(body.blocks.flatMap(({ text }) => text?.type ?? [])).toEqual(['plain_text', 'plain_text'])
})

test('in Discord the words of agents stand where no address is looked at, call nobody and are no markup', () => {
  const body = discord(told({ title: SPITE, body: SPITE }))
  expect(body).toMatchObject({ content: 'question from assistant 1a2b', allowed_mentions: { parse: [] } })
  const [embed] = body.embeds
  expect(embed!.url).toBe('https://troupe.example.org/answer/x')
  for (const text of [embed!.title, embed!.description])
    expect(text).toContain('\\@everyone <!channel\\> <\\@U1\\> \\[free\\]\\(https://evil.example/?q=secret\\)')
  expect(embed!.description).toContain('\\*\\*now\\*\\*')
})

test('in Teams the words of agents are no markup, and keep their lines', () => {
  const { body, actions } = teams(told({ title: SPITE, body: 'one\n[two](https://evil.example)' }))
  expect(body[0]!.text).toContain('\\[free\\]\\(https://evil.example/?q=secret\\)')
  expect(body[1]!.text).toBe('one\n\n\\[two\\]\\(https://evil.example\\)')
  expect(actions).toMatchObject([{ url: 'https://troupe.example.org/answer/x' }])
  // Markdown makes characters of their names, hidden ones too.
  const named = teams(told({ title: 'x', body: 'a &#x202e;b &lt;at&gt; ?a=1&b=2' })).body[1]!.text
  expect(named).toBe('a \\&\\#x202e;b \\&lt;at\\&gt; ?a=1&b=2')
})

test('where nobody may answer by a link there is none, and the command that answers is named', () => {
  const one = told({}, { link: undefined })
  expect(slack(one).blocks).toHaveLength(2)
  expect(discord(one).embeds[0]).not.toHaveProperty('url')
  expect(teams(one)).not.toHaveProperty('actions')
  expect(bodyFor.json(one)).not.toHaveProperty('answer')
  for (const text of [slack(one).blocks[1]!.text!.text, mailBody(one)])
    expect(text).toContain('Answer in a terminal: troupe inbox show abc')
  expect(mailBody(one)).not.toContain('Answer here')
})

test('twenty long options still fit where there is a limit, and the way to answer stands before them', () => {
  const options = Array.from({ length: 20 }, (_, at) => `${at}${'x'.repeat(499)}`)
  const one = told({ body: 'y'.repeat(9000) }, { options, link: undefined })
  const [, { text }] = slack(one).blocks as [unknown, { text: { text: string } }]
  expect(text.text).toHaveLength(3000)
  expect(text.text).toContain('… 7500 more characters, not shown here')
  expect(text.text).toContain('troupe inbox show abc')
  expect(discord(one).embeds[0]!.description).toHaveLength(4000)
  expect(mailBody(one)).toContain(`20. 19${'x'.repeat(197)}…`)
})

test('a program is told all of it, with its lines; a text without end is cut and says so', () => {
  const { item } = bodyFor.json(told({ body: 'one\n  two' })) as { item: { body: string } }
  expect(item.body).toBe('one\n  two')
  const long = bodyFor.json(told({ body: 'z'.repeat(20_001) })) as { item: { body: string } }
  expect(long.item.body).toBe(`${'z'.repeat(20_000)}\n[… 1 more characters, not shown here]`)
})

test('a headline is one line and names who asks', () => {
  expect(headline(told({ title: 'Sure?\r\nBcc: thief@example.org' }))).toBe(
    'question from assistant 1a2b: Sure? Bcc: thief@example.org',
  )
  expect(headline(told({ kind: 'notice', title: 'Gone' }, { from: '' }))).toBe('notice: Gone')
  expect(headline(told({ title: 'x'.repeat(500) }))).toHaveLength(200)
})

test('what else waits is told with it: ten by name, the rest by number', () => {
  const along = Array.from({ length: 12 }, (_, at) => ({
    inbox_id: `inbox_${at}`,
    kind: 'notice' as const,
    title: `News\n${at}`,
  }))
  const lines = mailBody(told({}, { along })).split('\n')
  expect(lines).toContain('12 more wait for you; see them all with: troupe inbox')
  expect(lines.filter((line) => line.startsWith('- notice: News '))).toHaveLength(10)
  expect(lines).toContain('- and 2 more')
  expect(mailBody(told({}, { along: along.slice(0, 10) }))).not.toContain('- and')
  expect(bodyFor.json(told({}, { along: along.slice(0, 1) }))).toMatchObject({
    along: [{ id: 'inbox_0', kind: 'notice', title: 'News\n0' }],
  })
  expect(bodyFor.json(told())).not.toHaveProperty('along')
})

test('an item without words of its own shows its title', () => {
  expect(mailBody(told({ title: 'Only this', body: ' \n' }))).toBe(
    'Only this\n\nAnswer here, once, within a day:\nhttps://troupe.example.org/answer/x',
  )
})
