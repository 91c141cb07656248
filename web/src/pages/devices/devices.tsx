import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Devices(): ReactNode {
  return <Page title="Devices">This view is being built.</Page>
}
