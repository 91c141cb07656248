import { blockAround, blocksOf } from './blocks.ts'
import { childrenOf, isNode, type Node, parse } from './syntax.ts'

/** One small change of one file. */
export interface Mutant {
  readonly file: string
  readonly line: number
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly was: string
  readonly becomes: string
  /** Its name in the list of reasons: the text of its line with the change in brackets, as line numbers move. */
  readonly name: string
  /** The key of the block that has to run for the change to matter. */
  readonly block: string
}

const SHOWN = 90

type Found = Pick<Mutant, 'kind' | 'start' | 'end' | 'becomes'>

/** Every place of a file that can be changed, in the order of the text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const blocks = blocksOf(source)
  const found: Found[] = []
  const visit = (node: Node, parent: Node | undefined): void => {
    if (isTalk(node) || isTunable(node)) return
    for (const change of changes) found.push(...change(node, source, parent))
    for (const child of childrenOf(node)) visit(child, node)
  }
  visit(parse(source), undefined)
  return found
    .sort((a, b) => a.start - b.start)
    .map((place) => ({
      ...place,
      file,
      line: source.slice(0, place.start).split('\n').length,
      was: source.slice(place.start, place.end),
      name: nameOf(file, source, place),
      block: blockAround(blocks, place.start, place.end),
    }))
}

function nameOf(file: string, source: string, { start, end, becomes }: Found): string {
  const [before, after] = [source.slice(0, start).split('\n').at(-1), source.slice(end).split('\n')[0]]
  const change = `[${short(source.slice(start, end))} → ${short(becomes)}]`
  return `${file}: ${before}${change}${after}`.replace(/\s+/g, ' ')
}

function short(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > SHOWN ? `${flat.slice(0, SHOWN)}…` : flat
}

export const mutated = (source: string, { start, end, becomes }: Mutant): string =>
  source.slice(0, start) + becomes + source.slice(end)

const turns: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '-': '+',
  '+': '-',
  '*': '/',
  '&&': '||',
  '||': '&&',
}
/** Operators of SQL, which the query builder takes as strings. */
const sqlTurns: Record<string, string> = {
  '=': '!=',
  '!=': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  in: 'not in',
  'not in': 'in',
  is: 'is not',
  'is not': 'is',
}
/** Links of a chain that narrow its result and can be dropped. */
const narrowing = new Set(['where', 'filter', 'limit', 'slice', 'having'])

const changes: readonly ((node: Node, source: string, parent: Node | undefined) => Found[])[] = [
  function condition(node, source) {
    if (!['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(node.type)) return []
    const { start, end, operator } = node.test as Node
    // For these the operator itself is changed, below.
    if (['!', '===', '!=='].includes(operator as string)) return []
    return [{ kind: 'condition turned', start, end, becomes: `!(${source.slice(start, end)})` }]
  },
  function operator(node, source) {
    if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return []
    const [left, right] = [node.left as Node, node.right as Node]
    if (node.operator === '??') {
      return [{ kind: 'default dropped', start: left.end, end: node.end, becomes: closing(source, left.end, right) }]
    }
    const becomes = turns[node.operator as string]
    if (becomes === undefined || (node.operator === '+' && [left, right].some(isText))) return []
    const start = left.end + source.slice(left.end, right.start).indexOf(node.operator as string)
    return [{ kind: 'operator turned', start, end: start + (node.operator as string).length, becomes }]
  },
  function check(node) {
    if (node.type !== 'IfStatement' || isNode(node.alternate) || !leaves(node.consequent as Node)) return []
    return [{ kind: 'check dropped', start: node.start, end: node.end, becomes: ';' }]
  },
  function thrown(node, _source, parent) {
    if (node.type !== 'ThrowStatement' || parent?.type === 'IfStatement') return []
    return [{ kind: 'throw dropped', start: node.start, end: node.end, becomes: ';' }]
  },
  function call(node) {
    if (node.type !== 'ExpressionStatement') return []
    const inner = node.expression as Node
    const made = inner.type === 'AwaitExpression' ? (inner.argument as Node) : inner
    if (made.type !== 'CallExpression' || isTalk(made)) return []
    return [{ kind: 'call left out', start: node.start, end: node.end, becomes: ';' }]
  },
  function link(node) {
    if (node.type !== 'CallExpression') return []
    const callee = node.callee as Node
    const name = isNode(callee.property) ? callee.property.name : undefined
    if (callee.type !== 'MemberExpression' || callee.optional === true || !narrowing.has(name as string)) return []
    return [{ kind: `.${name}() dropped`, start: (callee.object as Node).end, end: node.end, becomes: '' }]
  },
  function sqlOperator(node, source) {
    if (node.type !== 'CallExpression') return []
    const operator = (node.arguments as Node[])[1]
    const becomes = sqlTurns[operator?.value as string]
    if (operator?.type !== 'Literal' || becomes === undefined || (node.arguments as Node[]).length !== 3) return []
    const quote = source[operator.start]
    return [
      { kind: 'operator turned', start: operator.start, end: operator.end, becomes: `${quote}${becomes}${quote}` },
    ]
  },
  function value(node, source, parent) {
    if (node.type !== 'Literal' || (parent?.type === 'Property' && parent.key === node)) return []
    const { start, end } = node
    if (typeof node.value === 'boolean') return [{ kind: 'yes for no', start, end, becomes: String(!node.value) }]
    if (typeof node.value !== 'number' || source.slice(start, end).includes('.')) return []
    return [{ kind: 'off by one', start, end, becomes: String(node.value + 1) }]
  },
  function not(node) {
    if (node.type !== 'UnaryExpression' || node.operator !== '!') return []
    return [{ kind: 'not dropped', start: node.start, end: node.start + 1, becomes: '' }]
  },
]

/** A named bound is a choice, so one more or less is not another behaviour. */
function isTunable(node: Node): boolean {
  if (node.type !== 'VariableDeclarator') return false
  return /^[A-Z][A-Z_]+$/.test((node.id as Node).name as string)
}

/** Texts for people decide nothing. */
function isTalk(node: Node): boolean {
  if (node.type === 'NewExpression') return /Error$/.test(String((node.callee as Node).name))
  if (node.type !== 'CallExpression') return false
  let callee = node.callee as Node
  while (callee.type === 'MemberExpression') {
    if (isNode(callee.property) && callee.property.name === 'log') return true
    callee = callee.object as Node
  }
  return ['console', 'log', 'crashPoint'].includes(callee.name as string)
}

function leaves(node: Node): boolean {
  if (node.type === 'BlockStatement') {
    const last = (node.body as Node[]).at(-1)
    return last !== undefined && leaves(last)
  }
  return ['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'].includes(node.type)
}

const isText = ({ type, value }: Node): boolean => type === 'TemplateLiteral' || typeof value === 'string'

/** The closing parentheses around the left side, which have to stay. */
function closing(source: string, from: number, right: Node): string {
  return source.slice(from, right.start).split('??')[0]!.trimEnd()
}
