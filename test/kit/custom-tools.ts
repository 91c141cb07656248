/** Files of a custom tool: at the person's own level unless another folder of tools is named. */
export const customTool = (
  name: string,
  code: string,
  { definition = {}, at = '../home/tools', file = 'index.js' }: CustomToolOptions = {},
): Record<string, string> => ({
  [`${at}/${name}/tool.json`]: JSON.stringify({ description: `Does ${name}.`, capabilities: [], ...definition }),
  [`${at}/${name}/${file}`]: code,
})

interface CustomToolOptions {
  readonly definition?: Readonly<Record<string, unknown>>
  readonly at?: string
  readonly file?: string
}

/** A schema that takes anything. */
export const anything = { inputSchema: { type: 'object' } }
