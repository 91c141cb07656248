import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Empty } from '../parts/small.tsx'
import { Page } from './page.tsx'

export function Missing(): ReactNode {
  return (
    <Page title="Not here" className="pad">
      <Empty
        title="There is no view at this address."
        action={
          <Link className="btn" to="/">
            Home
          </Link>
        }
      />
    </Page>
  )
}
