import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Triggers(): ReactNode {
  return <Page title="Triggers">This view is being built.</Page>
}
