import type { Reply, SeenRequest } from '../../test/kit/vendor/reply.ts'

const MEGABYTES = 200
const GIB = 1024 ** 3
const some = 'x'.repeat(4000)
const call = { calls: [{ name: 'read_file', input: `{"path":"${some}` }] }

/** What pours in, by the word that asks for it. */
const floods: Record<string, Reply> = {
  text: { text: some, chunks: 1, flood: { of: 'text', megabytes: MEGABYTES } },
  thoughts: { reasoning: some, chunks: 1, flood: { of: 'text', megabytes: MEGABYTES } },
  'a call': { ...call, flood: { of: 'call', megabytes: MEGABYTES } },
  'another call': { ...call, flood: { of: 'call', megabytes: MEGABYTES } },
  comments: { text: some, flood: { of: 'comments', megabytes: MEGABYTES } },
  'a line': { text: some, flood: { of: 'line', megabytes: MEGABYTES } },
  output: { calls: [{ name: 'bash', input: { command: `yes | head -c ${GIB}`, timeout: 600 } }] },
}

/** Each load, by the words of those who are at it at once. */
export const loads = {
  'a 200 MB answer': ['text'],
  'six answers of 200 MB at once': ['text', 'thoughts', 'a call', 'another call', 'comments', 'a line'],
  '1 GB of command output': ['output'],
} as const

/** Runs inside the vendor's process: a flood, and a short word for whoever has seen its end. */
export default function script({ messages, lastUserText }: SeenRequest): Reply {
  const word = lastUserText.split('\n').at(-1) ?? ''
  return messages.at(-1)?.role === 'tool' ? { text: 'Seen.' } : (floods[word] ?? { text: `Heard: ${word}` })
}
