import type { SeenRequest } from './vendor/reply.ts'

/** A skill as a file of a world: in the person's own folder unless told otherwise. */
export const skillFile = (
  name: string,
  body: string,
  { at = '../home/skills', ...fields }: Record<string, unknown> & { at?: string } = {},
): Record<string, string> => ({
  [`${at}/${name}/SKILL.md`]: `---\n${JSON.stringify({ description: `How to ${name}`, ...fields })}\n---\n${body}\n`,
})

/** A call of the tool for them. */
export const useSkill = (name: string, words?: string) => ({
  name: 'skill',
  input: { name, ...(words === undefined ? {} : { arguments: words }) },
})

export const toolsIn = ({ body }: SeenRequest): string[] =>
  ((body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name)

/** How often a text stands in all that a request carries. */
export const timesIn = (request: SeenRequest | undefined, text: string): number =>
  JSON.stringify(request?.body).split(JSON.stringify(text).slice(1, -1)).length - 1
