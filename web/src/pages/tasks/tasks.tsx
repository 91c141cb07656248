import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Tasks(): ReactNode {
  return <Page title="Tasks">This view is being built.</Page>
}
