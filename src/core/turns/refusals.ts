import { whereOf } from '../sessions/index.ts'
import type { Turn } from './turn.ts'

/** A call that scope, rules or policy refused is a line in the security log. */
export const logRefusal = ({ core, lease, setup }: Turn, tool: string, because: string): void =>
  core.security('tool.denied', whereOf(lease.sessionId, setup.agent.name), `${tool}: ${because}`)
