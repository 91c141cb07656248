/** What the person said and the session has not read yet. */
export interface Unread {
  add(text: string, begins: boolean): { accepted(mailId: string): void; refused(): void }
  /** The session has read this mail, or never will. */
  gone(mailId: string): void
  readonly texts: readonly string[]
  /** Something was said while no turn was open: the text that comes next answers it. */
  readonly isAhead: boolean
}

interface Entry {
  readonly text: string
  readonly begins: boolean
  mailId?: string
}

export function createUnread(changed: () => void): Unread {
  const read = new Set<string>()
  let entries: Entry[] = []
  return {
    add(text, begins) {
      const entry: Entry = { text, begins }
      entries.push(entry)
      const drop = (): void => {
        entries = entries.filter((other) => other !== entry)
        changed()
      }
      return {
        accepted(mailId) {
          entry.mailId = mailId
          // The receipt may come after the session has read the message.
          if (read.delete(mailId)) drop()
        },
        refused: drop,
      }
    },
    gone(mailId) {
      read.add(mailId)
      entries = entries.filter((entry) => entry.mailId !== mailId)
    },
    get texts() {
      return entries.map(({ text }) => text)
    },
    get isAhead() {
      return entries.some(({ begins }) => begins)
    },
  }
}
