/** The session that acts, as a line of the log names it. */
export const whereOf = (sessionId: string, agent: string): string => `session ${sessionId.slice(0, 8)} ${agent}`.trim()
