import { nodesIn, stage, takeOn, untilTold, workNode } from '../kit/runs.ts'
import { publish, tell } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'

const never: Reply = { delay: new Promise(() => {}) }
export const spends = (input: number) => ({ usage: { input: input * 100, output: 200 } })

export const goal = 'Compare three ways to store notes and recommend one'
const question = {
  name: 'ask_human',
  input: {
    question: 'When two devices changed the same note, may the app keep both versions?',
    options: ['Keep both, show a choice', 'Last writer wins', 'Merge line by line'],
  },
}
const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } })
const bash = (command: string) => ({ name: 'bash', input: { command } })
/** A worker is given a node by its id, and on the next line its title. */
export const NODE = /^node_[0-9a-f]+\n(.+)/m
const scratch = (text: string): string => `nodes/${/node_[0-9a-f]+/.exec(text)?.[0]}/scratch`

/** What everybody says, by the first words that they were told. */
export const script: Readonly<Record<string, readonly (Reply | ((request: SeenRequest) => Reply))[]>> = {
  'Write down what is wanted': [
    ({ lastUserText }) => ({
      text: 'I collect what the issues say.',
      calls: [write(`${scratch(lastUserText)}/wanted.md`, '# What is wanted\n\n- offline first\n- no lost note\n')],
      ...spends(90),
    }),
    { calls: [publish('Five needs, the first two are not negotiable.')], ...spends(20) },
    { text: 'Done.' },
  ],
  'SQLite with full text': [
    { calls: [tell('Ben', 'First round: SQLite answers a search in 4.1 ms. What does yours take?')], ...spends(120) },
    ({ messages }) => ({
      calls: [
        write(
          `${scratch(messages.map(({ text }) => text).join())}/sqlite.md`,
          '# SQLite\n\n| notes | search |\n|---|---|\n| 1,000 | 1.2 ms |\n| 50,000 | 4.1 ms |\n',
        ),
      ],
      ...spends(60),
    }),
    { calls: [publish('4.1 ms over 50,000 notes; one file; needs an export.')], ...spends(40) },
    { text: 'Done.' },
  ],
  'Markdown files with an index': [{ calls: [{ name: 'list_dir', input: { path: '.' } }], ...spends(70) }, never],
  'Crash and conflict cases': [{ calls: [question], ...spends(80) }, never],
  [goal]: [
    { text: 'Three look at one way each.', calls: [takeOn('Ada'), takeOn('Ben'), takeOn('Cyd')], ...spends(60) },
    { calls: [workNode('Write down what is wanted', { worker: 'Ada' })], ...spends(30) },
    (request) => {
      const [wanted] = nodesIn(request)
      const dependsOn = [wanted!]
      return {
        calls: [
          workNode('SQLite with full text search', { worker: 'Ada', dependsOn }),
          workNode('Markdown files with an index', { worker: 'Ben', dependsOn }),
          workNode('Crash and conflict cases\nKill it in the middle of a write, a hundred times.', {
            worker: 'Cyd',
            dependsOn,
          }),
        ],
        ...spends(40),
      }
    },
    (request) => {
      const [, ...ways] = nodesIn(request)
      return {
        calls: [stage('Three ways', ways), workNode('Recommend one', { worker: 'Ada', dependsOn: ways })],
        ...spends(40),
      }
    },
    { text: 'All three are at work. I go on when they are back.', ...spends(50) },
  ],
  'Read the log of changes': [
    ({ lastUserText }) => ({
      calls: [
        write(
          `${scratch(lastUserText)}/notes.md`,
          '# 0.9\n\nSearch is **four times** as fast.\n\n- Notes with images sync\n- The import keeps dates\n',
        ),
      ],
      ...spends(50),
    }),
    { calls: [publish('Eleven changes that a person notices.')], ...spends(20) },
    { text: 'Done.' },
  ],
  'Say what is new in 0.9': [
    { calls: [takeOn('Dora'), workNode('Read the log of changes', { worker: 'Dora' })], ...spends(50) },
    untilTold('node_', 'Release notes for 0.9: search is four times as fast, and notes with images sync.'),
  ],
  'make the import test stable': [
    {
      text: 'I look at the test first.',
      calls: [{ name: 'read_file', input: { path: 'test/import.test.ts' } }],
      ...spends(80),
    },
    {
      calls: [
        {
          name: 'edit_file',
          input: { path: 'test/import.test.ts', old_string: 'await pause(50)', new_string: 'await imported' },
        },
      ],
      ...spends(60),
    },
    {
      text: 'The test waited for **50 ms** and hoped. It waits for the import itself now:\n\n```ts\nconst imported = once(store, "imported")\nawait imported\n```\n\nTwenty runs in a row passed.',
      ...spends(40),
    },
  ],
  'add the storage interface': [
    {
      text: 'I add a hook so that the tests run before every commit.',
      calls: [bash('npm install --save-dev husky@9 && npx husky init')],
      ...spends(90),
    },
    { text: 'It was not allowed; I leave it.' },
  ],
  'fix the typos': [{ calls: [bash('git push origin typos')], ...spends(40) }, { text: 'Left as it is.' }],
  'Write the release notes': [never],
  'Upgrade to Vite 8': [{ error: { kind: 'bad-request', message: 'The window of the model is full.' } }],
  'tidy the fixtures': [
    { text: 'There were 214 fixtures that no test reads; I listed them in fixtures.md.', ...spends(110) },
  ],
}
