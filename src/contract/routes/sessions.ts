import { z } from 'zod'
import {
  BackSession,
  ChangeSession,
  CompactSession,
  CreateSession,
  ForkSession,
  ReadSession,
  SwitchSession,
} from '../api.ts'
import { RunId } from '../ids.ts'
import { Receipt } from '../mail.ts'
import { SessionContext, SessionPrompt } from '../session-parts.ts'
import { Session, SessionStatus, Todo } from '../sessions.ts'
import { SessionTool } from '../tools.ts'
import type { RouteTable } from './route.ts'
import { flag, InProject, page, pageQuery, projectQuery, Ref, Whole } from './shapes.ts'

/** What a person does with one session. */
const act = { who: 'person', params: Ref, query: InProject, answer: Session } as const
/** What a session may also read of itself. */
const own = { who: 'itself', params: Ref, query: InProject } as const

export const sessionRoutes = {
  'POST /api/sessions': {
    summary: 'Start a conversation with an agent',
    who: 'person',
    query: InProject,
    body: CreateSession,
    answer: Session,
  },
  'GET /api/sessions': {
    summary: 'Sessions, the most recently updated first',
    who: 'person',
    query: z.object({
      ...pageQuery,
      agent: z.string().optional(),
      status: SessionStatus.optional(),
      q: z.string().max(200).optional(),
      run: RunId.optional().describe('Its members'),
      pinned: flag.describe('On the first page also the pinned ones that were updated longer ago'),
      hidden: flag.describe('Also the ticks of daemons that found nothing to do'),
    }),
    answer: page(Session),
  },
  'GET /api/sessions/{ref}': { ...own, summary: 'One session', answer: Session },
  'PATCH /api/sessions/{ref}': {
    ...act,
    summary: 'Change title, pin, model, attributes or the unattended policy',
    body: ChangeSession,
  },
  'DELETE /api/sessions/{ref}': { ...act, summary: 'Delete it; its handle never comes to mean another' },
  'POST /api/sessions/{ref}/fork': {
    ...act,
    summary: 'A new session with the history up to a message',
    body: ForkSession,
    bodyOptional: true,
  },
  'POST /api/sessions/{ref}/read': { ...act, summary: 'The person has read up to this message', body: ReadSession },
  'POST /api/sessions/{ref}/clear': { ...act, summary: 'Remove the history; identity and unread mail stay' },
  'POST /api/sessions/{ref}/compact': {
    ...act,
    summary: 'Have the model read a summary of its older messages, from the next safe point on; the log stays whole',
    body: CompactSession,
    bodyOptional: true,
  },
  'POST /api/sessions/{ref}/close': { ...act, summary: 'Close it; the next mail reopens it' },
  'POST /api/sessions/{ref}/reopen': { ...act, summary: 'Open a closed one again' },
  'POST /api/sessions/{ref}/cancel': {
    ...act,
    query: z.object({ ...projectQuery, tree: flag.describe('And all that was made by it, at any depth') }),
    summary: 'End the current turn and what it waits for',
  },
  'POST /api/sessions/{ref}/pause': { ...act, summary: 'Take no more steps until it is resumed' },
  'POST /api/sessions/{ref}/resume': { ...act, summary: 'Go on after a pause' },
  'POST /api/sessions/{ref}/promote': { ...act, summary: 'Let a child stay when the session that made it ends' },
  'POST /api/sessions/{ref}/switch': {
    ...act,
    summary: "Go on with another agent, in its latest session; a message is delivered there as the person's",
    body: SwitchSession,
    answer: z.strictObject({ session: Session, receipt: Receipt.optional() }),
  },
  'POST /api/sessions/{ref}/back': {
    ...act,
    summary: 'Return to the session the person came from; what was decided here is told there',
    body: BackSession,
    bodyOptional: true,
  },
  'GET /api/sessions/{ref}/prompt': {
    ...own,
    summary: 'The frozen system prompt with tokens per section',
    answer: SessionPrompt,
  },
  'GET /api/sessions/{ref}/tools': {
    ...own,
    summary: 'The tools it has in effect',
    query: Whole,
    answer: page(SessionTool),
  },
  'GET /api/sessions/{ref}/todos': { ...own, summary: 'Its to-do list', query: Whole, answer: page(Todo) },
  'GET /api/sessions/{ref}/context': { ...own, summary: "What fills the model's window", answer: SessionContext },
  'GET /api/sessions/{ref}/recording': {
    summary: 'The conversation, with every session that its calls made or asked, as lines that "replay/…" plays back',
    who: 'person',
    params: Ref,
    query: InProject,
    raw: { 200: 'The file' },
  },
  'GET /api/sessions/{ref}/export': {
    ...own,
    summary: 'The whole log as Markdown or JSON lines',
    query: z.object({ ...projectQuery, format: z.enum(['md', 'jsonl']).default('md') }),
    raw: { 200: 'The file' },
  },
} as const satisfies RouteTable
