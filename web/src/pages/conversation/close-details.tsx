import type { ReactNode } from 'react'
import { Button } from '../../parts/small.tsx'
import type { Details } from './details.ts'

/** On top of details that cover the conversation. */
export const CloseDetails = ({ details }: { details: Details }): ReactNode => (
  <div className="over-top">
    <b className="med grow">Details</b>
    <Button look="ghost" icon="x" aria-label="Close the details" onClick={details.toggle} />
  </div>
)
