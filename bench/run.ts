import { parseArgs } from 'node:util'
import type { Options, Suite } from './suite.ts'
import { print } from './table.ts'
import { turn } from './turn/turn.ts'

const suites: Record<string, Suite> = { turn }

const usage = `node bench/run.ts [suite …] [--quick] [--part name] [--profile folder]
Suites: ${Object.keys(suites).join(', ')}. --quick makes one round, --part runs one part of a suite,
--profile writes a CPU profile of each of our own processes into the folder.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const wanted = positionals.length > 0 ? positionals : Object.keys(suites)
const unknown = wanted.find((name) => !(name in suites))
if (values.help || unknown !== undefined) {
  process.stderr.write(`${unknown === undefined ? '' : `There is no suite "${unknown}".\n`}${usage}\n`)
  process.exit(unknown === undefined ? 0 : 2)
}

const options: Options = {
  quick: values.quick,
  part: values.part,
  profile: values.profile,
  progress: (line) => void process.stderr.write(`${line}\n`),
}
for (const name of wanted) {
  const run = suites[name]!
  print(name, await run(options))
}
