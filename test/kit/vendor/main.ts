import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Rule, Script } from './script.ts'
import { startVendor } from './server.ts'

/** The stand-in as a process of its own: `node test/kit/vendor/main.ts --port 0 --script rules.json --witness seen.jsonl`. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    /** JSON: a list of rules. A module: its default export is a script, or a list of rules. */
    script: { type: 'string' },
    witness: { type: 'string' },
    keep: { type: 'string', default: '1000' },
  },
})

const vendor = await startVendor({
  port: Number(values.port),
  keep: Number(values.keep),
  ...(values.witness === undefined ? {} : { witness: values.witness }),
})
if (values.script !== undefined) {
  const script = await load(values.script)
  if (typeof script === 'function') vendor.script(script)
  else vendor.rules(script)
}
process.stdout.write(`${vendor.url}\n`)
process.once('SIGTERM', () => void vendor.close())

async function load(file: string): Promise<Script | Rule[]> {
  if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8')) as Rule[]
  const module = (await import(pathToFileURL(resolve(file)).href)) as { default: Script | Rule[] }
  return module.default
}
