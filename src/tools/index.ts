import type { Tool } from '../core/core.ts'

export const builtInTools: Tool[] = []
