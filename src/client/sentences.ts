import { handleEvent } from '../contract/event-handlers.ts'
import type { Event } from '../contract/events.ts'

/** What an event says, in a sentence for people; for a type that has no words of its own, its name. */
export function sentenceOf(event: Event): string {
  const said = handleEvent<string>(
    {
      'session.created': ({ agent, mode, title }) => `${agent} began a session (${mode}): ${title}`,
      'session.updated': ({ changed }) =>
        'readSeq' in changed
          ? `You read up to message ${changed.readSeq}`
          : `Changed: ${Object.keys(changed).join(', ')}`,
      'session.status': ({ from, to, reason }) => `From ${from} to ${to}${because(reason)}`,
      'session.cleared': ({ messages }) => `Cleared ${count(messages, 'message')} of the history`,
      'compaction.started': ({ why, tokens }) => `Compacts a history of about ${tokens} tokens (${why})`,
      'compaction.failed': ({ reason }) => `Not compacted${because(reason)}`,
      'session.compacted': ({ summedUp, tokensBefore, tokensAfter }) =>
        `Compacted: ${count(summedUp, 'message')} summed up, from about ${tokensBefore} to ${tokensAfter} tokens`,
      'session.switched': ({ agent, handle }) => `Led on to ${agent} (${handle})`,
      'session.charged': ({ costUsd }) => `Children spent ${usd(costUsd)}`,
      'session.closed': ({ by }) => `Closed by ${by}`,
      'session.deleted': ({ by }) => `Deleted by ${by}`,
      'message.appended': ({ role, snippet }) =>
        snippet ? `${role}: ${snippet}` : `A message of ${role}, without text`,
      'message.changed': ({ change, seq }) => `Message ${seq} was ${change}`,
      'mail.accepted': ({ from, outcome }) => `Mail from ${from}: ${outcome}`,
      'mail.taken': () => 'Mail entered the history',
      'mail.answered': () => 'Mail answered a question',
      'mail.expired': () => 'Mail was not answered in time',
      'mail.undeliverable': ({ reason }) => `Mail could not be delivered${because(reason)}`,
      'turn.started': ({ attempt }) => (attempt > 1 ? `Begins a turn, for the ${attempt}. time` : 'Begins a turn'),
      'turn.ended': ({ end, reason, iterations, durationMs, costUsd }) =>
        `Turn ended: ${end}${end === 'done' ? '' : because(reason)} (${count(iterations, 'step')}, ${seconds(durationMs)}, ${usd(costUsd)})`,
      'model.called': ({ model, iteration }) => `Asks ${model} (step ${iteration})`,
      'model.retried': ({ model, waitMs, reason }) => `Asks ${model} again in ${seconds(waitMs)}${because(reason)}`,
      'model.queued': ({ model, reason }) => `Waits for ${model}${because(reason)}`,
      'model.switched': ({ from, to, reason }) => `Now with ${to} instead of ${from}${because(reason)}`,
      'model.settled': ({ model, outcome }) => `A request to ${model} left no message (${outcome})`,
      'budget.reserved': ({ usd: put, budgets }) => `Put aside ${usd(put)} under ${limits(budgets)}`,
      'budget.exceeded': ({ budget, limitUsd, spentUsd }) =>
        `The limit of ${limits([budget])} is reached: ${usd(spentUsd)} of ${usd(limitUsd)}`,
      'tool.started': ({ name, preview }) => `${name} ${preview}`,
      'tool.ended': ({ name, ok, durationMs, preview }) =>
        `${name} ${ok ? 'done' : 'failed'} in ${seconds(durationMs)}: ${preview}`,
      'tool.loaded': ({ names }) => `Loaded ${names.join(', ')}`,
      'tool.denied': ({ name, reason }) => `${name} was refused${because(reason)}`,
      'hook.ended': ({ hook, event: at, verdict }) => `The hook ${hook} at ${at}: ${verdict}`,
      'call.parked': ({ name, kind }) => `${name} waits (${kind})`,
      'call.resumed': ({ name, how }) => `${name} goes on: ${how}`,
      'task.created': ({ agent }) => `A task for ${agent}`,
      'task.started': () => 'The task began',
      'task.waiting': ({ reason }) => `The task waits${because(reason)}`,
      'task.progress': ({ message }) => message,
      'task.retried': ({ attempt }) => `The task is tried again (${attempt})`,
      'task.finished': ({ costUsd }) => `The task is done (${usd(costUsd)})`,
      'task.failed': ({ reason }) => `The task failed${because(reason)}`,
      'task.canceled': ({ reason }) => `The task was canceled${because(reason)}`,
      'run.titled': ({ title }) => `The run is called: ${title}`,
      'run.created': ({ title, agent }) => `A run by ${agent}: ${title}`,
      'run.status': ({ from, to, reason, summary }) => `Run from ${from} to ${to}${because(summary ?? reason)}`,
      'node.created': ({ title }) => `New on the board: ${title}`,
      'node.assigned': ({ worker }) => `Given to ${worker}`,
      'node.started': () => 'The node began',
      'node.waiting': ({ reason }) => `The node waits${because(reason)}`,
      'node.finished': ({ summary }) => `The node is done${because(summary)}`,
      'node.changed': ({ title, worker }) => `The node changed${because(title ?? worker ?? undefined)}`,
      'node.publishing': ({ summary }) => `Hands over what it made${because(summary)}`,
      'node.reopened': () => 'The node waits once more',
      'node.published': ({ files }) => `Published ${count(files, 'file')}`,
      'node.failed': ({ reason }) => `The node failed${because(reason)}`,
      'node.canceled': ({ reason }) => `The node was canceled${because(reason)}`,
      'node.blocked': ({ reason }) => `The node is blocked${because(reason)}`,
      'node.retried': ({ reason }) => `The node is done once more${because(reason)}`,
      'node.suggested': ({ worker, suggestion }) => `${worker} suggests: ${suggestion}`,
      'node.checkpointed': ({ summary }) => `So far: ${summary}`,
      'stage.started': ({ name, nodes }) => `Stage ${name} with ${count(nodes.length, 'node')}`,
      'stage.reconvened': ({ why }) => `The stage came together (${why})`,
      'stage.completed': ({ assessment }) => `The stage is over${because(assessment)}`,
      'worker.spawned': ({ name, agent }) => `${name} joined as ${agent}`,
      'worker.retired': ({ name, reason }) => `${name} left${because(reason)}`,
      'inbox.added': ({ kind, title }) => `For you, ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: ${title}`,
      'inbox.answered': ({ by }) => `Answered by ${by}`,
      'inbox.dismissed': ({ reason }) => `Dismissed${because(reason)}`,
      'inbox.expired': () => 'Not answered in time',
      'trigger.created': ({ name, type }) => `Trigger ${name} (${type})`,
      'trigger.changed': ({ changed }) => `Trigger changed: ${Object.keys(changed).join(', ')}`,
      'trigger.fired': ({ outcome }) => (outcome === 'caught_up' ? 'Trigger fired late' : 'Trigger fired'),
      'trigger.missed': ({ count: times, reason }) => `Trigger missed ${count(times, 'time')}${because(reason)}`,
      'trigger.skipped': ({ reason }) => `Trigger skipped${because(reason)}`,
      'todo.changed': ({ open, total }) => `To do: ${open} of ${total} open`,
      'memory.written': ({ scope, path, mode, by }) => `Memory ${scope}/${path}: ${mode} by ${by}`,
      'mcp.changed': ({ server, added, changed, removed }) =>
        `${server} offers other tools: ${added.length} new, ${changed.length} changed, ${removed.length} gone`,
      log: ({ message }) => message,
    },
    event,
  )
  return oneLine(said ?? event.type.replace('.', ' '))
}

/** Limits by what they are of: `day:2026-11-18` and `turn:turn_1` are "the day and the turn". */
const limits = (ids: readonly string[]): string =>
  new Intl.ListFormat('en').format([...new Set(ids.map((id) => `the ${id.split(':')[0]}`))])

/** Longer lines are cut; the whole is in the event. */
const LINE = 300

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > LINE ? `${line.slice(0, LINE)}…` : line
}

const because = (reason: string | undefined): string => (reason ? `: ${reason}` : '')

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const seconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`)

const usd = (amount: number): string => `$${amount === 0 || amount >= 0.01 ? amount.toFixed(2) : amount.toPrecision(1)}`
