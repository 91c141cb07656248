// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell

/** Command lines from a small grammar and from a corpus, the same ones for the same seed. */
export function* lines(seed: number, corpus: readonly string[]): Generator<string> {
  const random = mulberry(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const chance = (of: number): boolean => random() < of
  for (;;) {
    const made = chance(0.55) ? list(0) : mixed()
    yield made.slice(0, 2000)
  }

  function list(depth: number): string {
    const parts = Array.from({ length: pick([1, 1, 1, 2, 2, 3]) }, () => command(depth))
    return parts.reduce((left, right) => `${left}${pick(joints)}${right}`)
  }

  function command(depth: number): string {
    if (depth < 2 && chance(0.12)) {
      const inner = list(depth + 1)
      return pick([
        `(${inner})`,
        `{ ${inner}; }`,
        `if ${inner}; then ${list(depth + 1)}; fi`,
        `for f in ${word(depth)} ${word(depth)}; do ${inner}; done`,
        `while ${inner}; do break; done`,
        `! ${inner}`,
        `bash -c '${inner.replaceAll("'", '"')}'`,
        `eval "${inner}"`,
        `$(${inner})`,
      ])
    }
    const words = Array.from({ length: pick([0, 1, 1, 2, 2, 3]) }, () => word(depth))
    const redirects = chance(0.25) ? [redirect(depth)] : []
    const all = [
      ...(chance(0.12) ? [pick(prefixes)] : []),
      disguise(pick(programs)),
      ...shuffled([...words, ...redirects]),
    ]
    return all.join(pick([' ', ' ', ' ', '  ', '\t', ' \\\n ', '\\\n']))
  }

  function word(depth: number): string {
    if (depth < 2 && chance(0.08))
      return pick([
        `$(${list(depth + 1)})`,
        `"$(${list(depth + 1)})"`,
        `\`${list(depth + 1)}\``,
        `<(${list(depth + 1)})`,
        `"\${x:-$(${command(depth + 1)})}"`,
      ])
    return chance(0.35) ? pick(options) : disguise(pick(operands))
  }

  function redirect(depth: number): string {
    return pick([
      `> ${word(depth)}`,
      `>> ${word(depth)}`,
      `2>/dev/null`,
      `2>&1`,
      `< ${word(depth)}`,
      `&> ${word(depth)}`,
      `<<E\n${pick(['x', '$(M)', '`M`', 'E ', '\\'])}\nE\n`,
      `<<'E'\n$(M)\nE\n`,
      `<<< ${word(depth)}`,
      `>| ${word(depth)}`,
      `{fd}> ${word(depth)}`,
      `>& ${word(depth)}`,
      `3<> ${word(depth)}`,
    ])
  }

  /** The same word in another spelling. */
  function disguise(text: string): string {
    if (chance(0.7) || text === '') return text
    const at = Math.floor(random() * text.length)
    return pick([
      `'${text}'`,
      `"${text}"`,
      `${text.slice(0, at)}""${text.slice(at)}`,
      `${text.slice(0, at)}\\${text.slice(at)}`,
      `${text.slice(0, at)}\\\n${text.slice(at)}`,
      `${text.slice(0, at)}*`,
      `${text.slice(0, at)}?${text.slice(at + 1)}`,
      `{${text},${text}}`,
      `$'${text}'`,
      `${text.slice(0, at)}[${text[at] ?? 'a'}]${text.slice(at + 1)}`,
      `\${x:-${text}}`,
    ])
  }

  /** A line of the corpus with pieces of others in it. */
  function mixed(): string {
    const line = pick(corpus)
    const at = Math.floor(random() * (line.length + 1))
    const other = pick(corpus)
    return pick([
      line,
      `${line}${pick(joints)}${other}`,
      line.slice(0, at) + pick(pieces) + line.slice(at),
      line.slice(0, at) + line.slice(at + 1),
      `${line} ${word(1)}`,
      `${line} ${redirect(1)} ${word(1)}`,
      line.slice(0, at) + other.slice(Math.floor(random() * other.length)),
      line.replace(' ', ` ${word(1)} `),
    ])
  }

  function shuffled<T>(from: readonly T[]): T[] {
    return from
      .map((value) => ({ value, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ value }) => value)
  }
}

const joints = of('; ¦ && ¦ || ¦ | ¦\n¦ & ¦;¦|¦ |& ¦ \\\n&& ¦\n\n¦ # ')
const prefixes = of(
  'A=1¦CI=1¦PATH=.:$PATH¦env¦env A=1¦command¦timeout 5¦nice¦nohup¦xargs¦exec¦builtin¦time',
  'GIT_PAGER=M¦LC_ALL=C¦2>/dev/null¦sudo¦env -i¦command -p¦GIT_EXTERNAL_DIFF=M',
)
const programs = of(
  'ls¦ls¦cat¦cat¦echo¦grep¦find¦sort¦uniq¦head¦wc¦git log¦git status¦git diff¦git grep¦sed',
  'awk¦cut¦tr¦diff¦xxd¦M¦./M¦sh¦bash¦cd¦pwd¦test¦[¦[[¦true¦touch¦cp¦tee¦tar¦set¦xargs¦printf',
  'export¦stat¦/bin/ls¦od¦dd¦git push¦git fetch¦git clone¦cp -r¦chmod -R',
)
const options = of(
  '-l¦-n¦-la¦-r¦-R¦-e¦-f¦-o¦-O¦-c¦-C¦-i¦-x¦-p¦-exec¦-delete¦-lOM¦-n5¦--¦-¦-v¦-name¦-oout/y',
  '-L¦--output=out/y¦--outp=.env¦-exec M {} +¦-exec M {} \\;¦--files0-from=link¦--ext-diff',
  "-fprint out/y¦-t¦-s¦-w¦-h¦-printf '%p'¦-cIf¦cIf¦xf¦--to-command=M¦--open-files-in-pager=M",
  '-eq¦=¦]¦]]¦||¦-a¦-T¦-S¦-d,¦-f1¦--color=always¦-maxdepth 1¦-type f¦--no-index¦-newer',
)
const operands = of(
  'a.txt¦b.txt¦.¦sub¦src/c.md¦../private.txt¦../elsewhere/f¦link¦up¦up/private.txt¦way/../../private.txt',
  'way¦s*¦*¦*.txt¦.e*¦.gi?/config¦s*/../../private.txt¦secret/x¦.env¦.git/config¦.troupe/settings.json',
  '~¦~/private.txt¦$HOME/private.txt¦"$HOME"¦$x¦$f¦"$f"¦M¦x¦alpha¦/etc/hostname¦out/y¦new.txt',
  "1p¦s/a/b/w out/y¦s/a/M/e¦1e M¦'{print}'¦'{system(\"M\")}'¦'{print > \"out/y\"}'¦'a[$(M)]'¦{a,b}.txt",
  '{a.txt,../private.txt}¦of=out/y¦of=../private.txt¦if=link¦$(M)¦`M`¦$((1))¦$((x[$(M)]))',
  '${x@P}¦!¦#¦\\;¦HEAD¦a b.txt¦-delete¦evil¦./evil¦dst¦../*¦up/*¦s/[/]/p;s/w out/g',
)
const pieces = of(
  ' ¦;¦&&¦||¦|¦&¦\n¦$(¦)¦(¦`¦"¦\'¦\\¦{¦}¦<¦>¦<<¦#¦$¦${¦=¦[¦]¦*¦!¦\\\n¦\t¦ M ¦ ; M¦$(M)¦`M`¦\nM\n¦ 2>/dev/null ',
  "<(M)¦$'¦ ¦\r¦..¦/¦~",
)

/** One text for many pieces: a list with a line for each would be longer than all the rest. */
function of(...texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split('¦'))
}

function mulberry(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
