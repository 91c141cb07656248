import { parseArgs } from 'node:util'
import { flood } from './flood/flood.ts'
import { kill } from './kill/kill.ts'
import { mail } from './mail/mail.ts'
import { memory } from './memory/memory.ts'
import { page } from './page/page.ts'
import { prompt } from './prompt/prompt.ts'
import { resume } from './resume/resume.ts'
import { start } from './start/start.ts'
import type { Options, Suite } from './suite.ts'
import { tableOf } from './table.ts'
import { tasks } from './tasks/tasks.ts'
import { turn } from './turn/turn.ts'
import { watch } from './watch/watch.ts'

const suites: Record<string, Suite> = { turn, start, resume, watch, mail, tasks, kill, flood, memory, prompt, page }

const usage = `node bench/run.ts [suite …] [--quick] [--part name] [--profile folder]
Suites: ${Object.keys(suites).join(', ')}. --quick makes fewer rounds, --part runs one part of the suite "turn",
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
  try {
    process.stdout.write(`${tableOf(name, await suites[name]!(options))}\n`)
  } catch (error) {
    // The results of the other suites are still worth knowing.
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  }
}
