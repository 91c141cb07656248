export { skillBlock } from './fill.ts'
export { type Skill, skillsOf } from './find.ts'
export {
  checkInvocation,
  findSkill,
  invocationHint,
  invocationIn,
  invocationNote,
  speaksForAgent,
} from './invocation.ts'
export { skillsSection } from './listing.ts'
export { searchSkills } from './search.ts'
