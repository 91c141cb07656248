import { z } from 'zod'
import { Problem } from '../agents.ts'
import { RunSkill, SkillDetails, SkillInfo, SkillRun } from '../skills.ts'
import type { RouteTable } from './route.ts'
import { InProject, page, projectQuery, wholeQuery } from './shapes.ts'

const Name = z.object({ name: z.string().min(1).max(64) })
const agent = z.string().max(64).optional().describe('Those that this agent has, its own included')

/** Texts by which agents work; a person starts one, or an agent does. */
export const skillRoutes = {
  'GET /api/skills': {
    summary: 'The skills there are',
    who: 'person',
    query: z.object({ ...wholeQuery, agent }),
    answer: page(SkillInfo),
  },
  'GET /api/skills/problems': {
    summary: 'Skills that are there and cannot be used, and why: broken, or behind another of their name',
    who: 'person',
    query: z.object({ ...wholeQuery, agent }),
    answer: page(Problem),
  },
  'GET /api/skills/{name}': {
    summary: 'One skill, whole',
    who: 'person',
    params: Name,
    query: z.object({ ...projectQuery, agent }),
    answer: SkillDetails,
  },
  'POST /api/skills/{name}/run': {
    summary: 'Start a skill: as a task of an agent, or in a session',
    who: 'person',
    params: Name,
    query: InProject,
    body: RunSkill,
    answer: SkillRun,
  },
} as const satisfies RouteTable
