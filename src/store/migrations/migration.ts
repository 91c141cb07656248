export type Dialect = 'sqlite' | 'postgres'

/** Forward only. A migration that has been released is never changed; the next one is a file of its own. */
export interface Migration {
  readonly name: string
  statements(dialect: Dialect): string[]
}
