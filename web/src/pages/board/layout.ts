import type { Board, Node, Stage } from '../../../../src/contract/runs.ts'

/** Where each node of a board stands: a column for each stage, or several where its nodes build on each other. */
export interface Layout {
  readonly places: ReadonlyMap<string, Place>
  readonly columns: readonly ColumnGroup[]
  readonly width: number
  readonly height: number
}

export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Columns with one head. */
export interface ColumnGroup {
  readonly stage: Stage | undefined
  readonly x: number
  readonly width: number
  readonly nodes: readonly Node[]
}

export const NODE = { width: 172, height: 90 } as const
const COLUMN = 212
const PITCH = 116
const INSET = 24
const LEFT = 16
const TOP = 16
const BOTTOM = 64
/** The heads of the columns are as high at every size. */
export const HEAD = 52
/** A column that would be taller goes on beside itself. */
const ROWS = 10

export function layoutOf({ nodes, stages }: Pick<Board, 'nodes' | 'stages'>): Layout {
  const places = new Map<string, Place>()
  const columns: ColumnGroup[] = []
  let x = LEFT
  for (const { stage, nodes: own } of groupsOf(nodes, stages)) {
    const start = x
    for (const level of levelsOf(own)) {
      const slots = inOrder(level, places)
      const stacks = wrapped(slots)
      const top = topOf(slots, stacks[0]!.length, places)
      for (const stack of stacks) {
        for (const [row, { node, inset }] of stack.entries())
          places.set(node.id, { x: x + inset, y: top + row * PITCH, width: NODE.width - inset })
        x += COLUMN
      }
    }
    columns.push({ stage, x: start - LEFT, width: x - start, nodes: own })
  }
  const ys = [...places.values()].map(({ y }) => y)
  const down = TOP - Math.min(...ys, 0)
  return {
    places: new Map([...places].map(([id, place]) => [id, { ...place, y: place.y + down }])),
    columns,
    width: Math.max(x - COLUMN + NODE.width, 0) + LEFT,
    height: Math.max(...ys, 0) + down + NODE.height + BOTTOM,
  }
}

interface Group {
  readonly stage: Stage | undefined
  readonly nodes: Node[]
}

/** Each stage, and behind it what builds on it and belongs to no stage. */
function groupsOf(nodes: readonly Node[], stages: readonly Stage[]): readonly Group[] {
  const byId = new Map(nodes.map((node) => [node.id as string, node]))
  const numbers = new Map(stages.map(({ id }, at) => [id as string, at]))
  const known = new Map<string, number>()
  /** Two for each stage: its own nodes, then those behind it. 0 is for what stands before all stages. */
  function slotOf(node: Node): number {
    const found = known.get(node.id)
    if (found !== undefined) return found
    known.set(node.id, 0)
    const number = numbers.get(node.stageId ?? '')
    const before = [...node.dependsOn, ...(node.parentNodeId ? [node.parentNodeId] : [])]
    const slot = number === undefined ? Math.max(0, ...before.map(behind)) : 2 * number + 1
    known.set(node.id, slot)
    return slot
  }
  function behind(id: string): number {
    const node = byId.get(id)
    const slot = node === undefined ? 0 : slotOf(node)
    return slot % 2 === 0 ? slot : slot + 1
  }
  const groups = Array.from({ length: 2 * stages.length + 1 }, (_, slot): Group => {
    return { stage: slot % 2 === 0 ? undefined : stages[(slot - 1) / 2], nodes: [] }
  })
  for (const node of nodes) groups[slotOf(node)]!.nodes.push(node)
  return groups.filter((group) => group.nodes.length > 0)
}

/** By how many steps a node builds on others of its group; what was made for a node stands with it. */
function levelsOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const byId = new Map(nodes.map((node) => [node.id as string, node]))
  const known = new Map<string, number>()
  function levelOf(node: Node): number {
    const found = known.get(node.id)
    if (found !== undefined) return found
    known.set(node.id, 0)
    const needed = node.dependsOn.flatMap((id) => byId.get(id) ?? []).map((one) => levelOf(one) + 1)
    const parent = byId.get(node.parentNodeId ?? '')
    const level = Math.max(0, ...needed, parent === undefined ? 0 : levelOf(parent))
    known.set(node.id, level)
    return level
  }
  const levels: Node[][] = []
  for (const node of nodes) {
    const level = levelOf(node)
    levels[level] ??= []
    levels[level].push(node)
  }
  return levels.filter((level) => level !== undefined)
}

interface Slot {
  readonly node: Node
  readonly inset: number
}

/** Beside what they build on, children below their parents. */
function inOrder(level: readonly Node[], places: ReadonlyMap<string, Place>): readonly Slot[] {
  const here = new Set<string>(level.map(({ id }) => id))
  const tops = level.filter(({ parentNodeId }) => parentNodeId === undefined || !here.has(parentNodeId))
  const wanted = new Map(tops.map((node, at) => [node.id, wantedOf(node, places) ?? at * PITCH]))
  const below = (node: Node, depth: number): Slot[] => [
    { node, inset: Math.min(depth, 2) * INSET },
    ...level.filter(({ parentNodeId }) => parentNodeId === node.id).flatMap((child) => below(child, depth + 1)),
  ]
  return tops.toSorted((a, b) => wanted.get(a.id)! - wanted.get(b.id)!).flatMap((node) => below(node, 0))
}

function wantedOf({ dependsOn }: Node, places: ReadonlyMap<string, Place>): number | undefined {
  const ys = dependsOn.flatMap((id) => places.get(id)?.y ?? [])
  return ys.length === 0 ? undefined : mean(ys)
}

function wrapped(slots: readonly Slot[]): readonly (readonly Slot[])[] {
  const stacks = Math.ceil(slots.length / ROWS)
  const size = Math.ceil(slots.length / stacks)
  return Array.from({ length: stacks }, (_, at) => slots.slice(at * size, (at + 1) * size))
}

/** As a whole it stands beside what it builds on; around the middle where it builds on nothing. */
function topOf(slots: readonly Slot[], rows: number, places: ReadonlyMap<string, Place>): number {
  const shifts = slots.flatMap(({ node }, at) => {
    const wanted = wantedOf(node, places)
    return wanted === undefined ? [] : [wanted - (at % rows) * PITCH]
  })
  return shifts.length > 0 ? mean(shifts) : (-(rows - 1) * PITCH) / 2
}

const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length
