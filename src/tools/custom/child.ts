import { readFileSync } from 'node:fs'
import Module from 'node:module'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

/**
 * The process of a custom tool. It is told the file with the function, then one input after the other, a line of JSON
 * each; its answers are lines that begin with the mark. It ends when nobody can ask it any more.
 */

interface Opening {
  readonly file: string
  readonly mark: string
  readonly answerChars: number
}

type ToolFunction = (input: unknown, context: unknown) => unknown

// The tool may put another function in its place.
const write = process.stdout.write.bind(process.stdout)
let opening: Opening | undefined
let run: ToolFunction | undefined
let working = false
/** Something of an earlier call failed after its answer: nobody knows what state this process is in. */
let spoiled = false

process.on('uncaughtException', (error) => {
  spoiled = true
  if (working && opening) answer(opening, { threw: sentence(error) }, () => process.exit(1))
})

for await (const line of createInterface({ input: process.stdin })) {
  if (opening === undefined) opening = JSON.parse(line) as Opening
  else if (spoiled) answer(opening, { again: true })
  else {
    working = true
    answer(opening, await resultOf(opening, JSON.parse(line)))
    working = false
  }
}
process.exit(0)

async function resultOf({ file }: Opening, { input, context }: { input: unknown; context: unknown }): Promise<object> {
  try {
    run ??= await load(file)
  } catch (error) {
    return { unloadable: sentence(error) }
  }
  try {
    return { result: await run(input, context) }
  } catch (error) {
    return { threw: sentence(error) }
  }
}

function answer({ mark, answerChars }: Opening, value: object, then?: () => void): void {
  const json = asJson(value)
  const fits = json.length <= answerChars
  write(`${mark}${fits ? json : asJson({ threw: `its result has more than ${answerChars} characters` })}\n`, then)
}

function asJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return JSON.stringify({ threw: `its result is not JSON: ${sentence(error)}` })
  }
}

async function load(file: string): Promise<ToolFunction> {
  const found = functionIn(await import(pathToFileURL(file).href).catch((error) => loadCommon(file, error)))
  if (found === undefined) throw new Error('it has neither a function as default export nor as module.exports')
  return found
}

/** `module.exports` counts wherever the tool lies, also below a package.json that says "module". */
function loadCommon(file: string, error: unknown): unknown {
  if (!(error instanceof ReferenceError) || !/^(module|exports|require) is not defined/.test(error.message)) throw error
  const internal = Module as unknown as { _nodeModulePaths(from: string): string[] }
  const module = new Module(file) as Module & { _compile(code: string, file: string): void }
  module.filename = file
  module.paths = internal._nodeModulePaths(dirname(file))
  module._compile(readFileSync(file, 'utf8'), file)
  return module.exports
}

function functionIn(module: unknown, depth = 0): ToolFunction | undefined {
  if (typeof module === 'function') return module as ToolFunction
  if (typeof module !== 'object' || module === null || depth > 1) return undefined
  return functionIn((module as { default?: unknown }).default, depth + 1)
}

function sentence(error: unknown): string {
  try {
    return (error instanceof Error ? error.message : String(error)).slice(0, 5000)
  } catch {
    return 'an error that cannot be shown'
  }
}
