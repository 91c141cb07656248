import { z } from 'zod'
import { Budgets, Cost, CostBy } from '../cost.ts'
import { AccountState, CatalogueUpdate, Model } from '../models.ts'
import type { RouteTable } from './route.ts'
import { InProject, page, projectQuery, Whole, wholeQuery } from './shapes.ts'

/** Which models there are, with which credentials, and what they cost. */
export const modelRoutes = {
  'GET /api/models': {
    summary: 'The models, and why not where one cannot be used',
    who: 'person',
    query: Whole,
    answer: page(Model),
  },
  'POST /api/models/update': {
    summary: 'Fetch the newest prices and context windows; the only request that leaves this machine for them',
    who: 'person',
    query: InProject,
    answer: CatalogueUpdate,
  },
  'GET /api/accounts': {
    summary: 'The accounts of each provider, whether they can be used, and how many requests wait for them',
    who: 'person',
    query: Whole,
    answer: page(AccountState),
  },
  'GET /api/cost': {
    summary: 'Tokens and cost by agent, model, day or run; what has no known price is counted apart',
    who: 'person',
    query: z.object({
      ...wholeQuery,
      by: CostBy.default('day'),
      since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional().describe('A day or a moment'),
    }),
    answer: page(Cost),
  },
  'GET /api/budgets': {
    summary:
      'The limits in money that count now, what is spent and reserved of each, and whether to ask for a daily one',
    who: 'person',
    query: z.object({ ...projectQuery, agent: z.string().optional().describe('The agent that is about to be used') }),
    answer: Budgets,
  },
} as const satisfies RouteTable
