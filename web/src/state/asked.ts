/** What a call that needs approval would do, taken from the words by which the server describes it. */
interface Asked {
  /** The tool and the folder it runs in. */
  readonly head: string
  readonly command: string | undefined
  readonly fields: readonly { readonly name: string; readonly text: string }[]
  readonly changes: readonly { readonly sign: '+' | '-'; readonly text: string }[]
  readonly because: string | undefined
  /** From whose message it goes back to whom. */
  readonly chain: readonly string[]
}

const BECAUSE = 'Asked because '
const CHAIN = 'It goes back to:'
const FIELD = /^(\w+): (.*)$/s

export function askedIn(body: string): Asked {
  const [head = '', ...lines] = body.split('\n')
  const chainAt = lines.indexOf(CHAIN)
  const own = chainAt < 0 ? lines : lines.slice(0, chainAt)
  const becauseAt = own.findLastIndex((line) => line.startsWith(BECAUSE))
  const said = becauseAt < 0 ? own : own.slice(0, becauseAt)
  const fields = joined(said.filter((line) => !isChange(line)))
  return {
    head,
    command: fields.find(({ name }) => name === 'command')?.text,
    fields: fields.filter(({ name }) => name !== 'command'),
    changes: said.filter(isChange).map((line) => ({ sign: line[0] as '+' | '-', text: line.slice(2) })),
    because: becauseAt < 0 ? undefined : own.slice(becauseAt).join(' ').slice(BECAUSE.length),
    chain: chainAt < 0 ? [] : lines.slice(chainAt + 1),
  }
}

const isChange = (line: string): boolean => /^[+-] /.test(line)

/** A value of several lines goes on in lines that are set in. */
function joined(lines: readonly string[]): Asked['fields'] {
  const fields: { name: string; text: string }[] = []
  for (const line of lines) {
    const found = FIELD.exec(line)
    const last = fields.at(-1)
    if (found) fields.push({ name: found[1]!, text: found[2]! })
    else if (last) last.text += `\n${line.replace(/^ {2}/, '')}`
    else fields.push({ name: '', text: line })
  }
  return fields
}
