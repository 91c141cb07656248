import type { Tool } from '../base/index.ts'
import { type Shown, schemaOf } from '../tools/index.ts'
import { type Judge, ruleOnDenied } from './judge.ts'
import { rulesOf } from './rules.ts'

/** A session's tools as its model is shown them: what is denied until a rule grants it is left out. */
export function shownTools(by: Judge): Shown[] {
  return [...by.tools.values()].flatMap((tool) => {
    const hidden = tool.hides?.({
      permits: (what) => ruleOnDenied(by, tool, what) === 'allow',
      byName: isNamed(by, tool),
      has: (name) => by.tools.has(name),
    })
    return hidden === 'tool' ? [] : [{ tool, schema: schemaOf(tool, hidden) }]
  })
}

/** The rules that it takes for a model to be shown all of a tool. */
export function rulesFor(tool: Tool): string[] {
  const hidden = tool.hides?.({ permits: () => false, byName: false, has: () => false }) ?? []
  return hidden === 'tool' ? [tool.name] : hidden.map((field) => `${tool.name}(${field})`)
}

/** Whether the tool is allowed by its name: by the session's own rules and by those of every maker. */
function isNamed({ sources, own, makers }: Judge, { name }: Tool): boolean {
  const makersOwn = makers.map(({ from, permissions = {} }) => ({ from, rules: permissions }))
  return [own, ...makersOwn].every((each) =>
    rulesOf([...sources, each]).some(({ decision, tool }) => decision === 'allow' && tool === name),
  )
}
