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
export { costs } from './report.ts'
export { affordable, unpricedReason } from './unpriced.ts'
