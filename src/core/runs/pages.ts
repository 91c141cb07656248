import { iso } from '../../lib/clock.ts'
import { publishedFiles, titleOf } from '../../store/nodes.ts'
import type { NodeRow, RunRow } from '../../store/tables.ts'

/** The pages in a run's folder that people read. */

export const goalFile = ({ goal }: RunRow): string => `${goal}\n`

export function statusFile(node: NodeRow): string {
  const { status, partial, worker, reason, summary, started_at, finished_at, published_at } = node
  const time = (label: string, ms: number | null): string[] => (ms === null ? [] : [`${label}: ${iso(ms)}`])
  const head = [
    `status: ${status}${partial === 1 ? ' (partial)' : ''}`,
    ...(worker === null ? [] : [`worker: ${worker}`]),
    ...time('started', started_at),
    ...time('ended', finished_at),
    ...(reason ? [`why: ${reason.replace(/\s+/g, ' ')}`] : []),
  ]
  const files = published_at === null ? [] : publishedFiles(node)
  return [
    `# ${titleOf(node)}`,
    head.join('\n'),
    ...(summary === null ? [] : [`## Summary\n\n${summary}`]),
    ...(files.length === 0 ? [] : [`## Published\n\n${files.map(shown).join('\n')}`]),
    '',
  ].join('\n\n')
}

const shown = ({ path, size, sha256 }: ReturnType<typeof publishedFiles>[number]): string =>
  `- published/${path} (${size} bytes, sha256 ${sha256})`

/** What a worker has done, node by node. */
export const historyFile = (nodes: readonly NodeRow[]): string =>
  `${JSON.stringify(
    nodes.map((node) => ({
      node: node.id,
      title: titleOf(node),
      status: node.status,
      ...(node.partial === 1 && { partial: true }),
      ...(node.summary === null ? {} : { summary: node.summary }),
      ...(node.finished_at === null ? {} : { endedAt: iso(node.finished_at) }),
    })),
    null,
    2,
  )}\n`
