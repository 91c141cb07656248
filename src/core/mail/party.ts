import type { SessionRow } from '../../store/tables.ts'
import type { Chain, Project } from '../base/index.ts'

/** Who speaks: the person, or a session with what it may reach. */
export type Speaker = { readonly kind: 'human'; readonly project: Project } | Party

export interface Party {
  readonly kind: 'session'
  readonly session: SessionRow
  readonly project: Project
  readonly chain: Chain
  mayReach(agent: string): boolean
  permits(what: string): boolean
}
