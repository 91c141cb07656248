import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { Cost } from '../../contract/cost.ts'
import type { Model } from '../../contract/models.ts'
import type { Run } from '../../contract/runs.ts'
import type { Session } from '../../contract/sessions.ts'
import { asCalled, troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { exits, Failure } from '../failure.ts'
import { ago, price } from '../print.ts'
import { cut } from './cells.ts'
import type { Command } from './command.ts'
import { giveGoal } from './goal-command.ts'
import type { ChatSession } from './session.ts'
import { usageOf } from './state.ts'
import { shortCount } from './status.ts'
import { switchCommands } from './switching.ts'

interface World {
  readonly cli: Cli
  readonly client: Client
  readonly talk: ChatSession
  readonly now: () => number
  readonly width: () => number
  readonly quit: () => void
  /** A run takes the place of the chat until it has ended. */
  readonly follow: (run: Run) => void
}

export function chatCommands({ cli, client, talk, now, width, quit, follow }: World): Command[] {
  let clearing: string | undefined

  const sessions = async (): Promise<Session[]> =>
    (await client.call('GET /api/sessions', { query: { limit: 15 } })).items.filter(({ deletedAt }) => !deletedAt)
  const models = async (): Promise<Model[]> => (await client.all('GET /api/models')).filter(({ usable }) => usable)
  const current = (): Session => {
    if (talk.session) return talk.session
    throw new Failure(exits.failed, 'There is no session yet: say something first.')
  }
  const about = (session: Session): string =>
    `${session.agent}, ${session.status}, ${ago(session.updatedAt, now())}: ${cut(session.title, 50)}`

  return [
    {
      name: 'model',
      does: 'which model answers; a name changes it',
      suggest: async () => (await models()).map(({ name }) => ({ insert: name, label: name, about: '' })),
      async run(name) {
        const usable = await models()
        if (!name) {
          const used = talk.feed.usage.model ?? usable.find(({ isDefault }) => isDefault)?.name
          return [
            ...usable.map((model) => `${model.name === used ? '▸' : ' '} ${model.name}`),
            'Change it with /model <name>.',
          ]
        }
        if (!usable.some((model) => model.name === name))
          throw new Failure(exits.failed, `There is no usable model "${name}"; /model lists them.`)
        await talk.useModel(name)
        return [`From the next answer on: ${name}.`]
      },
    },
    {
      name: 'new',
      does: 'begin a new session with your next message',
      async run() {
        talk.leave()
        return ['A new session begins with your next message.']
      },
    },
    {
      name: 'sessions',
      does: 'list sessions; a handle goes on with that one',
      suggest: async () =>
        (await sessions()).map((session) => ({ insert: session.handle, label: session.handle, about: about(session) })),
      async run(handle) {
        if (handle) {
          await talk.enter(handle)
          return [`Going on with ${talk.agent} ${talk.session?.handle ?? ''}.`]
        }
        const listed = await sessions()
        const lines = listed.map(
          (session) => `${session.id === talk.session?.id ? '▸' : ' '} ${session.handle}  ${about(session)}`,
        )
        return lines.length > 0 ? [...lines, 'Go on with one: /sessions <handle>.'] : ['There is none yet.']
      },
    },
    ...switchCommands(client, talk, width),
    giveGoal(client, follow),
    {
      name: 'fork',
      does: 'go on in a copy; this one stays as it is',
      async run() {
        const from = current().handle
        const copy = await client.call('POST /api/sessions/{ref}/fork', { params: { ref: current().id } })
        await talk.enter(copy.id)
        return [`Now in ${copy.handle}, a copy of ${from}. /sessions ${from} goes back.`]
      },
    },
    {
      name: 'clear',
      does: 'forget the history of this session, for good',
      async run() {
        const session = current()
        if (clearing !== session.id) {
          clearing = session.id
          return ['This removes what was said here, for good. /clear again does it; /new keeps it and begins another.']
        }
        clearing = undefined
        await client.call('POST /api/sessions/{ref}/clear', { params: { ref: session.id } })
        return ['Cleared: it begins anew.']
      },
    },
    {
      name: 'compact',
      does: 'go on with a summary of what was said; words say what to keep above all',
      async run(focus) {
        const params = { ref: current().id }
        await client.call('POST /api/sessions/{ref}/compact', { params, body: focus ? { focus } : {} })
        return ['It is compacted at its next safe point. All that was said stays in the log.']
      },
    },
    {
      name: 'export',
      does: 'write the conversation into a Markdown file',
      async run(name) {
        const file = name || `troupe-${current().handle}.md`
        const params = { ref: current().id }
        const text = await client.call('GET /api/sessions/{ref}/export', { params, query: { format: 'md' } })
        writeNew(join(cli.project, file), text)
        return [`Written to ${file}.`]
      },
    },
    {
      name: 'cost',
      does: 'what this session and this project have cost',
      async run() {
        const { tokens, costUsd, unpricedTokens } = usageOf(talk.session)
        const { items } = await client.call('GET /api/cost', { query: { by: 'day' } })
        const sum = (of: (item: Cost) => number) => items.reduce((all, item) => all + of(item), 0)
        const spent = price(
          sum((item) => item.costUsd),
          sum((item) => item.unpricedTokens),
        )
        return [
          `This session: ${shortCount(tokens)} tokens, ${price(costUsd, unpricedTokens)} with its children.`,
          `This project: ${spent}. More with "${troupe} cost".`,
        ]
      },
    },
    {
      name: 'why',
      does: 'what it waits for, and what would end that',
      async run(ref) {
        const { text } = await client.call('GET /api/why/{ref}', { params: { ref: ref || current().id } })
        return asCalled(text).split('\n')
      },
    },
    {
      name: 'cancel',
      does: 'stop what it is doing (Esc)',
      async run() {
        if (talk.idle()) return ['It does nothing just now, so there is nothing to stop.']
        await talk.cancel()
        return []
      },
    },
    { name: 'help', does: 'commands and keys', run: async () => help },
    {
      name: 'quit',
      does: 'leave; what has begun goes on in the server',
      async run() {
        quit()
        return []
      },
    },
  ]
}

const help = [
  '/agent <name> [message]  go on with another agent    /back [summary]  return',
  '/model  /new  /sessions  /fork  /clear  /compact  /export  /cost  /why',
  '/cancel  /quit',
  'Enter      send; while the agent works, queue until its next safe point',
  'Alt-Enter  a new line; also Shift-Enter, Ctrl-J, or a backslash and Enter',
  'Esc        stop what it is doing       Up, Down      what you said before',
  'Ctrl-O     what the last tools did, or all that is asked; PgUp, PgDn scroll',
  'Ctrl-L     clear the screen            Ctrl-C twice  leave',
  '@          files of the project, and agents       /  commands, and skills of the agent',
]

/** Never overwrites a file. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw new Failure(
      exits.failed,
      there ? `${file} exists already; name another: /export <file>.` : String((error as Error).message),
    )
  }
}
