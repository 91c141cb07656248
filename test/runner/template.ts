/** The database in the tests' cluster that has all tables already: to copy it takes a third of the time that making them takes. */
export const TEMPLATE = 'troupe_template'
