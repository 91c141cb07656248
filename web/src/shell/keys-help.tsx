import type { ReactNode } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { altKey, modKey } from '../parts/mod-key.ts'
import { Kbd } from '../parts/small.tsx'
import { places } from './shell.tsx'
import { shell } from './shell-state.ts'

const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      [modKey('K'), 'search, or do something'],
      ['c', 'new run'],
      ['\\', 'sidebar'],
      ['.', 'right panel'],
      ['u', 'up: what it belongs to'],
      ['[ ]', 'the one before, the next'],
      ['Esc', 'close what is on top'],
      ['?', 'these keys'],
    ],
  ],
  [
    'Lists',
    [
      ['j k', 'down, up'],
      ['Enter Space', 'open beside, answer'],
      ['n', 'new agent, trigger, memory file'],
      ['x', 'select'],
      ['e', 'dismiss'],
      ['z', 'undo'],
      ['/', 'filter; in a conversation, find'],
    ],
  ],
  [
    'Questions and approvals',
    [
      ['1 – 9', 'an answer'],
      ['o', 'allow once'],
      ['s', 'for the session'],
      ['a', 'always'],
      ['d', 'deny'],
    ],
  ],
  [
    'Writing',
    [
      ['Enter', 'send'],
      [altKey('Enter'), 'queue: after this turn'],
      [modKey('Enter'), 'interrupt'],
      ['Esc Esc', 'stop'],
    ],
  ],
  [
    'Board',
    [
      ['← → ↑ ↓', 'along the edges'],
      ['l', 'live'],
      ['m', 'write to the run'],
    ],
  ],
]

export function KeysHelp(): ReactNode {
  const going = Object.entries(places).map(([key, { name }]) => [`g ${key}`, name] as const)
  return (
    <Dialog label="Keys" className="keys" close={shell.close}>
      <h2>Keys</h2>
      <div className="keys-groups">
        {[...groups, ['Go to', going] as const].map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>{key.split(' ').map((part, at) => (part === '–' ? part : <Kbd key={at}>{part}</Kbd>))}</dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
