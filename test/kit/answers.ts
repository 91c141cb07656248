import { everyRoute } from '../../src/contract/routes/index.ts'

const answers = everyRoute.flatMap(([name, { answer }]) =>
  answer ? [{ answer, pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }] : [],
)

/** Throws when the server's answer is not what the contract says about that route. */
export function checkAnswer(method: string, path: string, json: unknown): void {
  const name = `${method} ${path.split('?')[0]}`
  answers.find(({ pattern }) => pattern.test(name))?.answer.parse(json)
}
