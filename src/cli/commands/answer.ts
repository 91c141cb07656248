import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure, usage } from '../failure.ts'
import { answerWith, openItems } from '../inbox-items.ts'
import { paint, say, tell } from '../print.ts'
import { ALL_PAUSED, isPaused } from '../standstill.ts'
import { readText } from './send.ts'

export default function define(command: Command): void {
  command
    .argument('<id>', `mail_… or inbox_…, as "${troupe} listen" and "${troupe} inbox" print it`)
    .argument('[text...]', 'the answer; read from standard input when left out or "-"')
    .action(action(answer))
}

async function answer(cli: Cli, id: string, words: string[]): Promise<void> {
  if (!/^\w+$/.test(id)) throw usage(`"${id}" is not the id of a question.`, 'It begins with mail_ or inbox_.')
  const text = await readText(words)
  const client = await connect(cli)
  const done = id.startsWith('mail_')
    ? await client.call('POST /api/mail/{id}/answer', { params: { id }, body: { content: text } })
    : await answerItem(client, id, text)
  const goesOn = (await isPaused(client)) ? ALL_PAUSED : 'whoever asked goes on.'
  tell(cli, done, () => say(`${paint('green', '✓')} answered; ${goesOn}`))
}

async function answerItem(client: Client, id: string, text: string): Promise<InboxItem> {
  const wanted = id.startsWith('inbox_') ? id : `inbox_${id}`
  const [item, another] = (await openItems(client)).filter((open) => open.id.startsWith(wanted))
  if (!item) {
    throw new Failure(exits.failed, `No open question has the id "${id}".`, {
      code: 'inbox.not_found',
      hint: `It may be answered already: see "${troupe} inbox --all".`,
    })
  }
  if (another) {
    throw new Failure(exits.failed, `"${id}" could be ${item.id} or ${another.id}.`, {
      code: 'inbox.ambiguous',
      hint: 'Type a few more characters of the one you mean.',
    })
  }
  return client.call('POST /api/inbox/{id}/answer', { params: { id: item.id }, body: answerWith(item, text) })
}
