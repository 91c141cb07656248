import '../../styles/devices.css'
import { type ReactNode, useState } from 'react'
import type { Device, LoginCode } from '../../../../src/contract/devices.ts'
import { signedOut } from '../../live/connection.ts'
import { type Resource, useLive } from '../../live/resource.ts'
import { forgetToken, server } from '../../live/server.ts'
import { Ask } from '../../parts/ask.tsx'
import { clock, clockMinutes } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { attempt, Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { Page } from '../../shell/page.tsx'

interface Devices {
  readonly all: readonly Device[]
  /** The one that shows this page. */
  readonly own: string | undefined
}

const devices: Resource<Devices> = {
  key: 'devices',
  async read() {
    const [all, me] = await Promise.all([server.all('GET /api/devices', {}), server.call('GET /api/me')])
    return { value: { all, own: me.device?.id } }
  },
}

/** Which browsers and phones hold a token, and how another one gets one. */
export function Devices(): ReactNode {
  const { value, failure, refresh } = useLive(devices)
  const [code, setCode] = useState<LoginCode>()
  const [leaving, setLeaving] = useState<Device>()
  const pair = () => attempt(async () => setCode(await server.call('POST /api/devices/code')))
  const revoke = ({ id }: Device) =>
    attempt(async () => {
      await server.call('DELETE /api/devices/{id}', { params: { id } })
      if (id !== value?.own) return refresh()
      forgetToken()
      signedOut()
    })
  const isOwn = leaving !== undefined && leaving.id === value?.own
  return (
    <Page
      title="Devices"
      aside={
        <Button icon="phone" onClick={pair}>
          Pair another
        </Button>
      }
    >
      {code && <Pairing code={code} close={() => setCode(undefined)} />}
      {failure && <Failed failure={failure} retry={refresh} />}
      {value === undefined && !failure && <Skeleton />}
      {value?.all.length === 0 && (
        <div className="pad-view">
          <Empty title="No device holds a token.">You are here with the owner's own.</Empty>
        </div>
      )}
      <p className="pad-x soft small">
        Each browser that was signed in by a link or a code. It can do all that you can, until it is signed out here.
      </p>
      <ul>
        {value?.all.map((device) => (
          <li key={device.id} className="row device">
            <Icon name="phone" />
            <span className="grow cut">
              <span className="med">{device.name}</span>{' '}
              <span className="mute small">signed in {clock(device.createdAt)}</span>
            </span>
            {device.id === value.own && <span className="tag">this one</span>}
            <Button small onClick={() => setLeaving(device)}>
              {device.id === value.own ? 'Sign out' : 'Revoke'}
            </Button>
          </li>
        ))}
      </ul>
      {leaving && (
        <Ask
          title={isOwn ? 'Sign out of this browser?' : `Revoke ${leaving.name}?`}
          yes={isOwn ? 'Sign out' : 'Revoke'}
          act={() => revoke(leaving)}
          close={() => setLeaving(undefined)}
        >
          {isOwn
            ? 'To come back, type "troupe open" on the machine where Troupe runs.'
            : 'It is signed out at once and needs a new link to come back.'}
        </Ask>
      )}
    </Page>
  )
}

/** The link works once; it is shown only here. */
function Pairing({ code, close }: { code: LoginCode; close: () => void }): ReactNode {
  return (
    <section className="card pairing" aria-label="Pair another device">
      <p>
        Open this link on the other device, or enter the code there. It works once, until {clockMinutes(code.expiresAt)}
        . Whoever has it can do all that you can.
      </p>
      <dl>
        <dt className="mute">Link</dt>
        <dd className="mono">{code.url}</dd>
        <dt className="mute">Code</dt>
        <dd className="mono">{code.code}</dd>
      </dl>
      <div className="acts">
        <Button small icon="copy" onClick={() => void navigator.clipboard.writeText(code.url)}>
          Copy the link
        </Button>
        <Button small look="ghost" onClick={close}>
          Close
        </Button>
      </div>
    </section>
  )
}
