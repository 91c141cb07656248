import type {
  ColumnNode,
  ColumnUpdateNode,
  InsertQueryNode,
  KyselyPlugin,
  OperationNode,
  UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import { type Mask, maskJson } from '../../lib/mask.ts'
import type { Tables } from '../tables.ts'

/**
 * Columns that hold what people, models and tools wrote. Every statement that writes one masks the value, so no caller
 * has to think of it. The other columns hold our own values (ids, states, names, paths), which a mask would damage.
 */
export const maskedColumns = {
  sessions: ['title', 'attributes', 'reason', 'last_snippet', 'compact_focus'],
  messages: ['parts'],
  tombstones: ['parts'],
  mail: ['content', 'answer'],
  calls: ['input', 'waits_for', 'result', 'hooked'],
  turns: ['reason'],
  inbox: ['title', 'body', 'options', 'answer', 'about'],
  events: ['data'],
  timers: ['payload'],
  todos: ['todos'],
  prompts: ['text', 'sections'],
  compactions: ['focus', 'summary', 'flush', 'reason'],
  tasks: ['instruction', 'input', 'tags', 'output', 'error'],
  runs: ['goal', 'title', 'reason', 'summary'],
  nodes: ['spec', 'reason', 'stop_reason', 'summary', 'refs', 'files'],
  workers: ['identity'],
  stages: ['name', 'assessment'],
  suggestions: ['suggestion'],
  triggers: ['name', 'config', 'action', 'reason', 'last_outcome'],
  trigger_fires: ['reason', 'result'],
  grants: ['tool'],
  deliveries: ['reason'],
  layouts: ['value'],
  memory_files: ['text'],
} as const satisfies { [T in keyof Tables]?: readonly (keyof Tables[T])[] }

/** Hides secrets in every value that a statement writes into one of these columns. */
export function masking(mask: Mask): KyselyPlugin {
  // PostgreSQL keeps no NUL, and a model may write one.
  const kept: Mask = (text) => mask(text).replaceAll('\0', '\u2400')
  return {
    transformQuery: ({ node }) =>
      node.kind === 'InsertQueryNode'
        ? inserted(node, kept)
        : node.kind === 'UpdateQueryNode'
          ? updated(node, kept)
          : node,
    transformResult: async ({ result }) => result,
  }
}

/** The mark of a value in a prepared statement; the value is masked each time it is filled in. */
export interface Masked {
  readonly mask?: Mask
}

function inserted(node: InsertQueryNode, mask: Mask): InsertQueryNode {
  const columns = columnsOf(node.into)
  if (columns === undefined) return node
  const places = (node.columns ?? []).map(({ column }) => columns.includes(column.name))
  const values = node.values?.kind === 'ValuesNode' ? hideRows(node.values as ValuesNode, places, mask) : node.values
  const { onConflict } = node
  return {
    ...node,
    ...(values && { values }),
    ...(onConflict?.updates && { onConflict: { ...onConflict, updates: hideSet(onConflict.updates, columns, mask) } }),
  }
}

function updated(node: UpdateQueryNode, mask: Mask): UpdateQueryNode {
  const columns = columnsOf(node.table)
  return columns && node.updates ? { ...node, updates: hideSet(node.updates, columns, mask) } : node
}

const columnsOf = (table: OperationNode | undefined): readonly string[] | undefined =>
  table?.kind === 'TableNode'
    ? maskedColumns[
        (table as { table?: { identifier: { name: string } } }).table?.identifier.name as keyof typeof maskedColumns
      ]
    : undefined

const hideRows = (node: ValuesNode, places: readonly boolean[], mask: Mask): ValuesNode => ({
  ...node,
  values: node.values.map((row) =>
    row.kind === 'PrimitiveValueListNode'
      ? { ...row, values: row.values.map((value, at) => (places[at] ? hidden(value, mask) : value)) }
      : ({ ...row, values: row.values.map((one, at) => (places[at] ? hideNode(one, mask) : one)) } as ValueListNode),
  ),
})

const hideSet = (updates: readonly ColumnUpdateNode[], columns: readonly string[], mask: Mask): ColumnUpdateNode[] =>
  updates.map((update) =>
    columns.includes((update.column as ColumnNode).column?.name)
      ? { ...update, value: hideNode(update.value, mask) }
      : update,
  )

const hideNode = (node: OperationNode, mask: Mask): OperationNode =>
  node.kind === 'ValueNode' ? ({ ...node, value: hidden((node as ValueNode).value, mask) } as ValueNode) : node

function hidden(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return maskJson(mask, value)
  // An object is a mark (prepared.ts), which stands for the value until the statement is run.
  if (typeof value === 'object' && value !== null) return { ...value, mask } satisfies Masked
  return value
}
