export { budgetsAbove, dayBudget, isBounded, type Purse, runBudget, runOfBudget } from './applicable.ts'
export {
  addUse,
  type Charge,
  charge,
  chargeLater,
  chargeOf,
  collect,
  settleAnswer,
  settleRequest,
  type Used,
} from './charges.ts'
export { estimateInput } from './estimate.ts'
export { dayStart, dollars, nextDay, toNanos, toUsd } from './money.ts'
export { costs } from './report.ts'
export { limitOf, offerRoom, reserve, type Short, settleAbandoned, settleLost } from './reservations.ts'
export { affordable, unpricedReason } from './unpriced.ts'
