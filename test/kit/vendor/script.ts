import type { Reply, SeenRequest } from './reply.ts'

export type Script = (request: SeenRequest) => Reply | Promise<Reply>

/** Which requests a script answers: those with a word in a user text (the newest first), of a model, or both. */
interface When {
  word?: string
  model?: string
}

/** A script in the shape of a JSON file. */
export interface Rule extends When {
  /** One per assistant message already in the history, so a request that is sent again gets the same answer. */
  steps?: readonly Reply[]
  /** One per request, in order; then the next rule decides. */
  queue?: readonly Reply[]
}

export interface Scripts {
  script(run: Script, when?: When): void
  reply(...replies: Reply[]): void
  queue(when: When, ...replies: Reply[]): void
  rules(rules: readonly Rule[]): void
  choose(request: SeenRequest): Promise<Reply>
}

/** The newest script that fits a request answers it. Where none fits, the answer repeats what was said. */
export function createScripts(): Scripts {
  const scripts: { when: When; run: (request: SeenRequest) => ReturnType<Script> | undefined }[] = []

  const add = (when: When, run: (request: SeenRequest) => ReturnType<Script> | undefined): void => {
    scripts.unshift({ when, run })
  }
  const queue = (when: When, ...replies: Reply[]): void => {
    const left = [...replies]
    add(when, () => left.shift())
  }
  return {
    script: (run, when = {}) => add(when, run),
    // Queues are used in the order they were given: an older one is emptied first.
    reply: (...replies) => {
      const left = [...replies]
      scripts.push({ when: {}, run: () => left.shift() })
    },
    queue,
    rules: (rules) => {
      for (const rule of rules.toReversed()) {
        if (rule.steps) add(rule, stepper(rule.steps))
        if (rule.queue) queue(rule, ...rule.queue)
      }
    },
    choose: async (request) => {
      for (const { when, run } of scripts) {
        const reply = wants(when, request) ? await run(request) : undefined
        if (reply) return reply
      }
      return { text: `I heard ${request.messages.length} messages, the last one: ${request.lastUserText || '(none)'}` }
    },
  }
}

const stepper = (steps: readonly Reply[]) => (request: SeenRequest) =>
  steps[Math.min(request.messages.filter((message) => message.role === 'assistant').length, steps.length - 1)]

function wants(when: When, request: SeenRequest): boolean {
  if (when.model !== undefined && when.model !== request.model) return false
  const { word } = when
  if (word === undefined) return true
  return request.messages.some((message) => message.role === 'user' && message.text.includes(word))
}
