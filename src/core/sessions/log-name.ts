/** How a line of the log names the session that acts. */
export const whereOf = (sessionId: string, agent: string): string => `session ${sessionId.slice(0, 8)} ${agent}`.trim()
