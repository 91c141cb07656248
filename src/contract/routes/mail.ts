import { z } from 'zod'
import { Answer, AnswerMail, InboxReceipt, Question } from '../answers.ts'
import { Reply, SendMail } from '../api.ts'
import { Mail } from '../mail.ts'
import type { RouteTable } from './route.ts'
import { flag, Id, InProject, Ok, page, projectQuery, waitSeconds, wholeQuery } from './shapes.ts'

/** A session that asks gets an answer; one that writes to the person gets the id of the inbox item. */
const result = {
  answer: z.union([Reply, Answer, InboxReceipt]),
  accepted: 'Accepted; there is no answer yet',
} as const

export const mailRoutes = {
  'POST /api/mail': {
    ...result,
    summary: 'Send to an address, as the person or as the session of the token; with "wait" or "ask" what came of it',
    who: 'session',
    body: SendMail,
  },
  'GET /api/mail': {
    summary: 'The waiting mail of a session; with "questions" what it is asked, and "wait" until there is something',
    who: 'session',
    query: z.object({ ...wholeQuery, session: z.string().optional(), questions: flag, wait: waitSeconds }),
    answer: page(z.union([Mail, Question])),
  },
  'GET /api/mail/{id}': {
    ...result,
    summary: 'Where a mail is; with "wait" until the turn that took it ends',
    who: 'session',
    params: Id,
    query: z.object({ ...projectQuery, wait: waitSeconds }),
  },
  'POST /api/mail/{id}/answer': {
    summary: 'Answer a question in place of the session it was asked of',
    who: 'session',
    params: Id,
    query: InProject,
    body: AnswerMail,
    answer: Ok,
  },
} as const satisfies RouteTable
