import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Runs(): ReactNode {
  return <Page title="Runs">This view is being built.</Page>
}
