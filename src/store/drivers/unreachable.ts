import { AppError } from '../../contract/errors.ts'

/** A database that does not answer at the start. Its address holds a password, so the variable is named instead. */
export const unreachableStore = (error: unknown): AppError =>
  new AppError('store.away', `The PostgreSQL database could not be reached: ${causeOf(error)}.`, {
    hint: 'Check TROUPE_DATABASE_URL, or store.url in the settings, and that PostgreSQL runs; leave it out to use SQLite.',
  })

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not say why'
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException
  return (code && causes[code]) ?? code ?? error.name
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  ETIMEDOUT: 'it does not answer',
  'store.away': 'it does not answer',
  '28P01': 'it refuses the password',
  '28000': 'it refuses the user',
  '3D000': 'it has no such database',
}
