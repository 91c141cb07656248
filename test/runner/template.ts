/** A database of the cluster with all tables. Copying it takes a third of the time that making the tables takes. */
export const TEMPLATE = 'troupe_template'
