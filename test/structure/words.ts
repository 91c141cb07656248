import { WaitKind } from '../../src/contract/calls.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { each, type Rule } from './rule.ts'
import { type ESTree, folderOf, look, nameOf, nounOf, ownOf, type Source, textIn } from './sources.ts'

const waits: ReadonlySet<string> = new Set(WaitKind.options)
const tools = new Set(builtInTools.map(({ name }) => name))

export const wordRules: readonly Rule[] = [
  {
    says: 'only core/waits asks which kind a call waits for',
    find: (sources) =>
      comparisons(
        // The command line sees inbox items, which have kinds of their own.
        ownOf(sources).filter(({ file }) => folderOf(file) !== 'cli' && nounOf(file) !== 'waits'),
        waits,
        (asked) => nameOf(asked) === 'kind',
      ),
    broken: each(
      'src/core/turns/a.ts',
      "if (call.kind === 'approval') a()",
      "if ('timer' != call.wait.kind) a()",
      "if (kind === 'ask') a()",
      "switch (call.kind) { case 'tasks': a() }",
      "if (['approval', 'question'].includes(call.kind)) a()",
      "if (new Set(['approval']).has(call.kind)) a()",
      'const act = { approval: a, timer: b }[call.kind]',
    ),
  },
  {
    says: 'core knows no tool by its name',
    find: (sources) =>
      comparisons(
        ownOf(sources).filter(({ file }) => folderOf(file) === 'core'),
        tools,
        () => true,
      ),
    broken: each(
      'src/core/turns/a.ts',
      "if (call.name === 'bash') a()",
      "if ('bash' !== name) a()",
      "switch (call.name) { case 'bash': a() }",
      "if (['bash', 'glob'].includes(call.name)) a()",
      "if (new Set(['bash']).has(call.name)) a()",
      'const act = { bash: a }[call.name]',
    ),
  },
]

/** Where something is held against one of the words: by a comparison, a switch, a list or a table. */
function comparisons(
  sources: readonly Source[],
  words: ReadonlySet<string>,
  isAsked: (asked: ESTree.Node) => boolean,
): string[] {
  const isWord = (node: ESTree.Node | null): boolean => words.has(textIn(node) ?? '')
  const lists = (node: ESTree.Node): boolean => {
    if (node.type === 'ArrayExpression') return node.elements.some((element) => isWord(element))
    return node.type === 'NewExpression' && node.arguments.some(lists)
  }
  return look(sources, (report) => ({
    BinaryExpression(node) {
      const { left, right, operator } = node
      if (!/^[!=]==?$/.test(operator)) return
      if ((isWord(left) && isAsked(right)) || (isWord(right) && isAsked(left))) report(node)
    },
    SwitchStatement({ discriminant, cases }) {
      if (isAsked(discriminant)) for (const { test } of cases) if (test && isWord(test)) report(test)
    },
    CallExpression(node) {
      const { callee, arguments: given } = node
      if (callee.type !== 'MemberExpression' || !/^(includes|has|indexOf)$/.test(nameOf(callee))) return
      if (lists(callee.object) && given.some(isAsked)) report(node)
    },
    MemberExpression(node) {
      if (!node.computed || node.object.type !== 'ObjectExpression' || !isAsked(node.property)) return
      const keys = node.object.properties.map((found) => (found.type === 'Property' ? found.key : found))
      if (keys.some((key) => words.has(textIn(key) ?? nameOf(key)))) report(node)
    },
  }))
}
