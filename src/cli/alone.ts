import { type Command, Option } from 'commander'
import type { SendMail } from '../contract/api.ts'
import { Questions } from '../contract/sessions.ts'
import { usage } from './failure.ts'

/** What a person says who starts work and leaves it alone. */
export interface AloneOptions {
  readonly unattended?: boolean
  readonly yes?: boolean
  readonly questions?: string
}

/** The options of every command that starts work. */
export const takesAlone = (command: Command, whose: string): Command =>
  command
    .option('--unattended', 'ask nobody: the setting permissions.unattended decides instead')
    .option('-y, --yes', 'ask nobody: allow every call that would be asked for, except what changes rights')
    .addOption(questionsOption(whose))

/** `whose` says for what it holds from then on. */
export const questionsOption = (whose: string): Option =>
  new Option(
    '--questions <policy>',
    `what becomes of questions of ${whose} that nobody answers: wait, first (option) or expire:<seconds>`,
  ).argParser(policyOf)

function policyOf(text: string): string {
  if (Questions.safeParse(text).success) return text
  throw usage(`--questions must be wait, first or expire:<seconds>, such as expire:600, not "${text}".`)
}

/** The same as a request says it. */
export const aloneOf = ({ unattended, yes, questions }: AloneOptions): Pick<SendMail, 'unattended' | 'questions'> => ({
  ...(yes ? { unattended: 'allow' as const } : unattended ? { unattended: 'settings' as const } : {}),
  ...(questions === undefined ? {} : { questions }),
})
