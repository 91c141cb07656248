import type { InboxItem } from '../../contract/inbox.ts'
import { choicesFor } from '../inbox-answers.ts'
import { describe, sayItem } from '../inbox-items.ts'
import { oneLine, paint, sayJson } from '../print.ts'
import { endHere } from '../remarks.ts'
import type { Screen } from '../screen.ts'
import { previewLine } from '../transcript.ts'
import type { Viewer } from './watch.ts'

/** Shows a conversation: pieces as they come on a terminal, whole messages in a pipe, one JSON line each for scripts. */
export function createView(screen: Screen, agent: () => string, json: boolean): Viewer {
  if (json) return jsonView()
  return screen.interactive ? terminalView(screen, agent) : pipeView(screen)
}

/** What the person is expected to type. */
export function linePrompt(item: InboxItem | undefined): string {
  if (!item) return '› '
  const keys = choicesFor(item).map(({ key }) => key)
  return keys.length > 0 ? `${keys.join(' ')} › ` : 'answer › '
}

function terminalView(screen: Screen, agent: () => string): Viewer {
  let begun = false
  const begin = (): void => {
    if (!begun) screen.write(`${paint('green', agent())} › `)
    begun = true
  }
  return {
    piece(text) {
      begin()
      screen.write(text)
    },
    message(text, shown) {
      // The streamed text is a hint and the log is the truth. When they differ, the whole text is shown again.
      const rest = text.startsWith(shown) ? text.slice(shown.length) : `\n${text}`
      begin()
      screen.write(`${rest}\n`)
      begun = false
    },
    ...remarks(screen),
    ended(end, reason, event) {
      begun = false
      remarks(screen).ended(end, reason, event)
      screen.prompt(linePrompt(undefined))
    },
    asked(item) {
      begun = false
      screen.aside(describe(item))
      if (item.kind === 'approval') for (const { key, label } of choicesFor(item)) screen.aside(`  ${key} ${label}`)
      screen.prompt(linePrompt(item))
    },
  }
}

function pipeView(screen: Screen): Viewer {
  return {
    piece: () => {},
    message: (text) => screen.write(`${text}\n`),
    asked: (item) => sayItem(item, (text) => screen.aside(text)),
    ...remarks(screen),
  }
}

type Remarks = Pick<Viewer, 'tool' | 'toolFailed' | 'remark' | 'ended'>

const remarks = (screen: Screen): Remarks => ({
  tool: (name, preview) => screen.aside(`  ▸ ${previewLine(name, preview)}`),
  toolFailed: (name, preview) => screen.aside(`  ✗ ${[name, oneLine(preview, 160)].filter(Boolean).join(': ')}`),
  remark: ({ text }) => screen.aside(`  ${text}`),
  ended(end, reason) {
    const said = endHere(end, reason)
    if (said) screen.aside(`  ${said.kind === 'failed' ? '✗' : '·'} ${said.text}`)
  },
})

const jsonView = (): Viewer => ({
  piece: () => {},
  message: (text) => sayJson({ type: 'message', text }),
  tool: (name, preview) => sayJson({ type: 'tool', name, preview }),
  toolFailed: (name, preview) => sayJson({ type: 'tool-failed', name, preview }),
  remark: ({ kind, text }) => sayJson({ type: 'remark', kind, text }),
  ended: (end, reason) => sayJson({ type: 'ended', end, reason }),
  asked: (item: InboxItem) => sayJson({ type: 'asked', item }),
})
