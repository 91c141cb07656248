import { type EventHandlers, handleEvent } from '../../../../src/contract/event-handlers.ts'
import type { Event } from '../../../../src/contract/events.ts'
import { remarkOf } from '../../../../src/contract/remarks.ts'
import { duration, money } from '../../parts/figures.tsx'
import { callInWords } from '../../state/call-words.ts'

/** An event of a run in words. */
export interface Happened {
  readonly seq: string
  readonly at: string
  readonly text: string
  readonly aside?: string
  readonly tone?: 'bad-words' | 'ask-words'
}

type Words = Omit<Happened, 'seq' | 'at'>

/** Undefined for what only the machinery needs to know. */
export function happened(event: Event, nameOf: (sessionId: string | undefined) => string): Happened | undefined {
  const remark = remarkOf(event)
  const words = handleEvent(handlers, event) ?? (remark && { text: remark.text })
  if (words === undefined) return undefined
  const text = words.text.replace('{who}', () => nameOf(event.sessionId))
  return { seq: event.seq, at: event.at, ...words, text }
}

const because = (reason: string | undefined): string => (reason ? `: ${reason}` : '')

const handlers: EventHandlers<Words | undefined> = {
  'run.created': ({ title }) => ({ text: `the run began: ${title}` }),
  'run.titled': ({ title }) => ({ text: `the run is called: ${title}` }),
  'run.status': ({ to, reason }) => ({ text: `the run is ${to}${because(reason)}` }),
  'node.created': ({ title }) => ({ text: `node added: ${title}` }),
  'node.changed': ({ worker, spec }) => ({
    text: spec ? 'the spec was changed' : `given to ${worker ?? 'whoever is idle'}`,
  }),
  'node.assigned': ({ worker }) => ({ text: `given to ${worker}` }),
  'node.started': () => ({ text: 'started' }),
  'node.waiting': ({ reason }) => ({ text: `waits${because(reason)}` }),
  'node.finished': ({ summary }) => ({ text: `done${because(summary)}` }),
  'node.published': ({ files, published }) => ({
    text: `published ${published.map(({ path }) => path).join(', ')}`,
    aside: files > published.length ? `${files} files` : '',
  }),
  'node.failed': ({ reason }) => ({ text: `failed${because(reason)}`, tone: 'bad-words' }),
  'node.canceled': ({ reason }) => ({ text: `canceled${because(reason)}` }),
  'node.blocked': ({ reason }) => ({ text: `blocked${because(reason)}`, tone: 'bad-words' }),
  'node.reopened': () => ({ text: 'open again' }),
  'node.retried': ({ reason }) => ({ text: `to be done once more${because(reason)}` }),
  'node.suggested': ({ suggestion }) => ({ text: `suggests: ${suggestion}` }),
  'node.checkpointed': ({ summary }) => ({ text: `so far: ${summary}` }),
  'stage.started': ({ name, nodes }) => ({ text: `the stage ${name} began with ${nodes.length} nodes` }),
  'stage.reconvened': ({ why }) => ({
    text: why === 'time' ? "the stage's time is up" : 'the stage has come together',
  }),
  'stage.completed': ({ assessment }) => ({ text: `the stage is complete${because(assessment)}` }),
  'worker.spawned': ({ name, agent }) => ({ text: `${name} joined, as ${agent}` }),
  'worker.retired': ({ name, reason }) => ({ text: `${name} left${because(reason)}` }),
  'inbox.added': ({ kind, title }) => ({
    text: kind === 'question' ? `{who} asked you: ${title}` : title,
    ...((kind === 'question' || kind === 'approval') && { tone: 'ask-words' as const }),
  }),
  'inbox.answered': ({ by }) => ({ text: `answered by ${by}` }),
  'mail.accepted': ({ from }) => (from === 'system' ? undefined : { text: `a message came to {who}` }),
  'tool.started': ({ name, preview }) => ({ text: `{who} ${callInWords(name, preview)}` }),
  'tool.ended': ({ name, ok, preview, durationMs }) =>
    ok ? undefined : { text: `${name} failed: ${preview}`, aside: duration(durationMs), tone: 'bad-words' },
  'tool.denied': ({ name, reason }) => ({ text: `${name} was refused: ${reason}`, tone: 'bad-words' }),
  'turn.ended': ({ end, costUsd, unpricedTokens, durationMs }) =>
    end === 'done'
      ? { text: '{who} ended a turn', aside: `${duration(durationMs)} · ${money(costUsd, unpricedTokens)}` }
      : undefined,
  'budget.exceeded': ({ budget }) => ({ text: `the budget ${budget} is spent`, tone: 'ask-words' }),
  log: ({ message, level }) => ({ text: message, ...(level === 'error' && { tone: 'bad-words' as const }) }),
}
