/** The same as pausing, the other way round; which of the two it is, its name says. */
export { default } from './pause.ts'
