import { AppError } from '../../contract/errors.ts'
import type { InboxId } from '../../contract/ids.ts'
import type { ModelPrice } from '../../contract/settings.ts'
import { settleInbox } from '../../store/inbox.ts'
import type { InboxRow, SessionRow } from '../../store/tables.ts'
import { type Core, type Project, type Tx, transact } from '../base/index.ts'
import { effectiveSettings, isProjects, patchSettings, settingsWithSources } from '../config/index.ts'
import { addInbox } from '../inbox/index.ts'

const PREFIX = 'inbox_price_'
const FREE = 'free'

/** A model was not asked because nobody knows its price: the person is asked for it once. One who dismisses that is not asked again. */
export async function askPrice(tx: Tx, session: SessionRow, model: string, why: string): Promise<void> {
  await addInbox(tx, session, {
    id: idFor(model),
    kind: 'notice',
    title: `What does ${model} cost? It was not asked, because its price is not known`,
    body: `${why}\nAnswer "${FREE}" to count it as costing nothing, or its price as two numbers, input and output in USD per million tokens, such as "2 10". It is written to your settings. Then send the message again.`,
    options: [FREE],
    action: 'price',
  })
}

/** The person says what a model costs: from now on the settings say it. False when somebody else has said it. */
export async function answerPrice(
  core: Core,
  project: Project,
  item: InboxRow,
  words: string,
  by: string,
): Promise<boolean> {
  const price = priceIn(words)
  if (price === undefined) {
    throw new AppError('inbox.bad_answer', `"${words.slice(0, 80)}" is no price.`, {
      hint: `Answer "${FREE}", or two numbers: USD per million tokens of input and of output, such as "2 10".`,
    })
  }
  const model = Buffer.from(item.id.slice(PREFIX.length), 'hex').toString()
  const at = model.indexOf('/')
  return transact(core, 'budget.price', async (tx) => {
    if (!(await settleInbox(tx.db, item.id, 'answered', { answer: { answer: words }, by, at: tx.now }))) return false
    const about = { project: item.project_id, ...(item.session_id === null ? {} : { sessionId: item.session_id }) }
    tx.record('inbox.answered', about, { inboxId: item.id, by })
    // Before the commit: where it cannot be written the question stays open, and a crash here asks once too often at worst.
    await writePrice(core, project, { provider: model.slice(0, at), name: model.slice(at + 1), price })
    return true
  })
}

async function writePrice(
  core: Core,
  project: Project,
  { provider, name, price }: { provider: string; name: string; price: ModelPrice },
): Promise<void> {
  const key = `providers.${provider}`
  const { source, file } = settingsWithSources(core, project).find((setting) => setting.key === key) ?? {}
  if (isProjects(source)) {
    throw new AppError('settings.not_here', `The provider "${provider}" is set in ${file}, which is the project's.`, {
      hint: `Set ${key}.prices there.`,
    })
  }
  const { settings } = await effectiveSettings(core, project)
  const prices = settings.providers?.[provider]?.prices ?? {}
  await patchSettings(core, project, 'home', {
    [`${key}.prices`]: { ...prices, [name]: { ...prices[name], ...price } },
  })
}

function priceIn(words: string): ModelPrice | undefined {
  const said = words.trim().toLowerCase()
  if (said === FREE) return { input: 0, output: 0 }
  const [, input, output] = /^\$?(\d{1,6}(?:\.\d{1,9})?)[\s,/]+\$?(\d{1,6}(?:\.\d{1,9})?)$/.exec(said) ?? []
  return input === undefined || output === undefined ? undefined : { input: Number(input), output: Number(output) }
}

const idFor = (model: string): InboxId => `${PREFIX}${Buffer.from(model).toString('hex')}`
