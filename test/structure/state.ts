import { each, type Rule } from './rule.ts'
import { type ESTree, folderOf, look, nameOf, ownOf, type Source, textIn } from './sources.ts'

const OWNER = 'src/core/sessions/row.ts'

/** The state columns of a session. The compiler refuses an assignment wherever it knows the row, as they are read-only. */
export const columns = [
  ...['attempts', 'checks', 'closed_at', 'deleted_at', 'fence', 'lease_owner', 'lease_until'],
  ...['reason', 'signal', 'status', 'stopped_by', 'turn_id', 'wanted_at'],
]

/** The columns as the table declares them; one that may be assigned is not among them. */
export function declaredColumns(sources: readonly Source[]): string[] {
  const found: string[] = []
  look(sources, (_, { file }) => ({
    TSInterfaceDeclaration({ id, body }) {
      if (file !== 'src/store/session-tables.ts' || id.name !== 'SessionState') return
      for (const column of body.body)
        if (column.type === 'TSPropertySignature' && column.readonly) found.push(nameOf(column.key))
    },
  }))
  return found
}

export const stateRules: readonly Rule[] = [
  {
    says: "a session's state is written by its owner, and by nobody else in core and engines",
    find: (sources) =>
      look(
        ownOf(sources).filter(({ file }) => ['core', 'engines'].includes(folderOf(file)) && file !== OWNER),
        (report) => ({
          AssignmentExpression: ({ left }) => void (writes(left) && report(left)),
          UpdateExpression: ({ argument }) => void (writes(argument) && report(argument)),
          UnaryExpression: (node) => void (node.operator === 'delete' && writes(node.argument) && report(node)),
          CallExpression: (node) => void (merges(node) && report(node)),
          ObjectExpression: (node) => void (copies(node) && report(node)),
        }),
      ),
    broken: each(
      'src/core/turns/a.ts',
      "session.status = 'idle'",
      "session['status'] = 'idle'",
      'session.attempts += 1',
      'session.attempts++',
      'session.wanted_at ??= now',
      'delete session.signal',
      '({ a: session.signal } = b)',
      ';[session.signal] = b',
      "Object.assign(session, { status: 'idle' })",
      "Object.assign(row, more, { 'status': 'idle' })",
      "Object.assign(row, { ...more, ...(a && { status: 'idle' }) })",
      'Object.assign(session, change)',
      'Object.assign(child.session, { ...change })',
      "Reflect.set(session, 'status', 'idle')",
      "Object.defineProperty(session, 'status', { value: 'idle' })",
      "const next = { ...session, status: 'idle' }",
    ),
  },
  {
    says: 'rows of sessions are inserted and updated in one place each',
    find: (sources) => [
      ...usersOf(sources, 'insertSession', [OWNER, 'src/store/sessions.ts']),
      ...usersOf(sources, 'updateSession', ['src/core/base/transaction.ts', 'src/store/sessions.ts']),
      ...look(
        ownOf(sources).filter(({ file }) => !['src/store/leases.ts', 'src/store/sessions.ts'].includes(file)),
        (report) => ({
          CallExpression: (node) =>
            void (writers.has(nameOf(node.callee)) && textIn(node.arguments[0]) === 'sessions' && report(node)),
        }),
      ),
    ],
    broken: [
      ...each(
        'src/core/turns/a.ts',
        "import { insertSession } from '../../store/sessions.ts'",
        'await store.updateSession(tx.db, session)',
      ),
      ...each(
        'src/store/turns.ts',
        "db\n  .updateTable(\n'sessions')",
        "db.insertInto('sessions')",
        "db.mergeInto('sessions')",
      ),
    ],
  },
]

const writers = new Set(['updateTable', 'insertInto', 'replaceInto', 'mergeInto'])

const isSession = (name: string): boolean => /^session$|Session$/.test(name)

const usersOf = (sources: readonly Source[], name: string, allowed: readonly string[]): string[] =>
  look(
    ownOf(sources).filter(({ file }) => !allowed.includes(file)),
    (report) => ({ Identifier: (node) => void (node.name === name && report(node)) }),
  )

/** The target of an assignment, also one of several. */
function writes(target: ESTree.Node): boolean {
  if (target.type === 'MemberExpression') return columns.includes(nameOf(target))
  if (target.type === 'ArrayPattern') return target.elements.some((element) => element !== null && writes(element))
  if (target.type === 'ObjectPattern')
    return target.properties.some((found) => writes(found.type === 'Property' ? found.value : found.argument))
  return target.type === 'AssignmentPattern' && writes(target.left)
}

/** Object.assign(session, …), or anything.assign(row, { status: … }) */
function merges({ callee, arguments: [target, ...sources] }: ESTree.CallExpression): boolean {
  if (!target || !['assign', 'set', 'defineProperty', 'defineProperties'].includes(nameOf(callee))) return false
  if (callee.type !== 'MemberExpression' || !['Object', 'Reflect'].includes(nameOf(callee.object))) return false
  return isSession(nameOf(target)) || sources.some((source) => names(source))
}

/** An object or a text that has a state column in it. */
function names(node: ESTree.Node): boolean {
  if (node.type === 'ObjectExpression')
    return node.properties.some((found) =>
      found.type === 'Property' ? columns.includes(textIn(found.key) ?? nameOf(found.key)) : names(found.argument),
    )
  if (node.type === 'LogicalExpression') return names(node.left) || names(node.right)
  if (node.type === 'ConditionalExpression') return names(node.consequent) || names(node.alternate)
  if (node.type === 'ParenthesizedExpression') return names(node.expression)
  return columns.includes(textIn(node) ?? '')
}

/** { ...session, status: … } */
const copies = (node: ESTree.ObjectExpression): boolean =>
  node.properties.some((found) => found.type === 'SpreadElement' && isSession(nameOf(found.argument))) && names(node)
