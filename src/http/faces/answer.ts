import { OpenAPIHono } from '@hono/zod-openapi'
import type { AppError } from '../../contract/errors.ts'
import type { InboxAnswer } from '../../contract/inbox.ts'
import { deliveryBehind, type Linked, linkedItem, useLink } from '../../core/channels/index.ts'
import { standstillHint } from '../../core/inbox/index.ts'
import { answerInbox } from '../../core/steering/index.ts'
import type { HttpEnv, ServerParts } from '../context.ts'
import { toAppError } from '../errors.ts'
import { inHtml } from './docs.ts'
import { securityHeaders } from './headers.ts'
import { document } from './page.ts'

/** The pages behind links in channels. They need no token: the signed code in the address stands for one item. */
export const isAnswerPage = (method: string, path: string): boolean =>
  ['GET', 'HEAD', 'POST'].includes(method) && /^\/answer\/[^/]+$/.test(path)

/** Looking answers nothing: programs that open links ahead of the person only see the page. Its form answers, once. */
export function answerRoutes(face: ServerParts) {
  const { core } = face
  const linked = async (code: string): Promise<Linked> => {
    const delivery = await deliveryBehind(core, code)
    return linkedItem(
      core,
      face.auth.check(() => delivery, 'This link is not valid.'),
    )
  }
  return new OpenAPIHono<HttpEnv>()
    .get('/answer/:code', async (c) => c.html(pageOf(await linked(c.req.param('code'))), 200, answerHeaders))
    .post('/answer/:code', async (c) => {
      const link = await linked(c.req.param('code'))
      const { delivery, item, over } = link
      if (over !== undefined || item === undefined) return c.html(pageOf(link), 409, answerHeaders)
      const answer = answerIn(new URLSearchParams(await c.req.text()), link.decides)
      if (typeof answer === 'string') return c.html(pageOf(link, answer), 400, answerHeaders)
      const by = `human via ${delivery.channel}`
      try {
        await answerInbox(core, item.id, answer, by)
      } catch (error) {
        const { message, hint } = toAppError(error)
        return c.html(pageOf(await linkedItem(core, delivery), `${message} ${hint ?? ''}`), 409, answerHeaders)
      }
      await useLink(core, delivery)
      if ('decision' in answer)
        face.security('approval', 'inbox', `${item.id}: ${answer.decision} by ${by}: ${item.title}`, by)
      const { hint = 'The work goes on.' } = await standstillHint(core)
      return c.html(
        document('Answered', `<h1>Thank you</h1>\n<p>It is answered. ${inHtml(hint)}</p>`),
        200,
        answerHeaders,
      )
    })
}

/** A person reads what is wrong, not a program. */
export const problemPage = ({ code, message, hint = '' }: AppError): string =>
  saying(`${message} ${code === 'auth.wrong' ? 'Answer in the terminal: troupe inbox' : hint}`)

const saying = (words: string): string => document('Troupe', `<h1>Troupe</h1>\n<p>${inHtml(words)}</p>`)

/** The form may be sent here and nowhere else; the address, which has the code in it, is told to nobody else. */
export const answerHeaders = {
  'Content-Security-Policy': securityHeaders['Content-Security-Policy']!.replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
  'Referrer-Policy': 'same-origin',
}

const WORDS = 65_536

/** A link lets one call run or denies it; rules that last are made elsewhere. A text says what is wrong with the form. */
function answerIn(form: URLSearchParams, decides: boolean): InboxAnswer | string {
  const decision = form.get('decision')
  if (decides) return decision === 'once' || decision === 'deny' ? { decision } : 'Allow it, or deny it.'
  // No database keeps a NUL.
  const answer = (form.get('answer') ?? '').replaceAll('\0', '').trim()
  if (answer.length > WORDS) return `The answer has more than ${WORDS} characters: say it in fewer.`
  return answer === '' ? 'Say something, or choose.' : { answer }
}

function pageOf({ item, options, decides, over }: Linked, problem?: string): string {
  if (item === undefined) return saying(over ?? '')
  return document(
    'Troupe',
    `<h1>${inHtml(item.title)}</h1>
<p>${inHtml(`${item.kind} from ${item.from_agent ?? item.from_kind}`)}</p>
<pre>${inHtml(item.body)}</pre>
${problem === undefined ? '' : `<p><b>${inHtml(problem)}</b></p>`}
${over === undefined ? formFor(decides, options) : `<p>${inHtml(over)}</p>`}`,
  )
}

function formFor(decides: boolean, options: readonly string[]): string {
  const button = (name: string, value: string, label: string) =>
    `<button name="${name}" value="${inHtml(value)}">${inHtml(label)}</button>`
  if (decides)
    return `<form method="post">${button('decision', 'once', 'Allow this one')} ${button('decision', 'deny', 'Deny')}</form>`
  const buttons = options.map((option) => `<p>${button('answer', option, option)}</p>`)
  return `${buttons.length === 0 ? '' : `<form method="post">${buttons.join('\n')}</form>`}
<form method="post"><p><textarea name="answer" rows="4" cols="60" required></textarea></p><p><button>Answer</button></p></form>`
}
