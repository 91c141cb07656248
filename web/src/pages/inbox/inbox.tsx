import '../../styles/inbox.css'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { InboxItem, InboxStatus } from '../../../../src/contract/inbox.ts'
import { Icon } from '../../parts/icon.tsx'
import { type KeysShown, KeysStrip } from '../../parts/keys-strip.tsx'
import { Button, Empty, Failed, Kbd, Skeleton } from '../../parts/small.tsx'
import { useFocusOnChosen, useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { TodayOnPhone } from '../../shell/today.tsx'
import { useAddress } from '../../state/address.ts'
import { dismiss, undoDismiss, useDismissed } from '../../state/dismissing.ts'
import { needsMe, useInboxOf } from '../../state/inbox.ts'
import { grouped, isWaved, kinds } from './groups.ts'
import { ItemView } from './item.tsx'
import { ItemList } from './list.tsx'

const tabs = [
  ['open', 'Open'],
  ['answered', 'Answered'],
  ['all', 'All'],
] as const

/** What waits for the person, answered without leaving. */
export function Inbox(): ReactNode {
  const [{ status = 'open', kind, item: chosen, q = '' }, change] = useAddress()
  const live = useInboxOf(status === 'all' ? undefined : (status as InboxStatus))
  const dismissed = useDismissed()
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const find = useRef<HTMLInputElement>(null)
  const shown = useMemo(() => {
    const wanted = q.toLowerCase()
    return grouped(
      (live.value ?? []).filter(
        (one) =>
          (kind === undefined || one.kind === kind) &&
          !(one.status === 'open' && dismissed.has(one.id)) &&
          `${one.title} ${one.from.agent ?? ''}`.toLowerCase().includes(wanted),
      ),
    )
  }, [live.value, dismissed, kind, q])
  const items = shown.flatMap((group) => group.items)
  // On a phone nothing is open until it is tapped; beside a list the first one is.
  const current = items.find(({ id }) => id === chosen) ?? (isNarrow() ? undefined : items[0])
  const selected = items.filter(({ id }) => ticked.has(id))

  const move = (by: number): void => {
    const at = current === undefined ? -1 : items.indexOf(current)
    const next = items[Math.max(0, Math.min(items.length - 1, at + by))]
    if (next) change({ item: next.id })
  }
  const tick = (one: InboxItem): void =>
    setTicked((before) => new Set(before.has(one.id) ? [...before].filter((id) => id !== one.id) : [...before, one.id]))
  const wave = (gone: readonly InboxItem[]): void => {
    const next = items.find((one) => !gone.includes(one) && items.indexOf(one) > items.indexOf(gone.at(-1)!))
    dismiss(gone)
    setTicked(new Set())
    change({ item: next?.id })
  }
  const down = (): void => move(1)
  const up = (): void => move(-1)
  const leave = (): void => (ticked.size > 0 ? setTicked(new Set()) : change({ item: undefined }))
  useFocusOnChosen(current?.id)
  useKeys({
    j: down,
    k: up,
    ArrowDown: down,
    ArrowUp: up,
    Enter: toAnswer,
    ' ': toAnswer,
    x: () => current && isWaved(current) && tick(current),
    e: () => {
      const gone = selected.length > 0 ? selected : current && isWaved(current) ? [current] : []
      if (gone.length > 0) wave(gone)
    },
    z: undoDismiss,
    '/': () => find.current?.focus(),
    Escape: leave,
  })

  const open = (live.value ?? []).filter((one) => one.status === 'open' && needsMe(one)).length
  return (
    <Page
      title="Inbox"
      className="inbox"
      foot={<KeysStrip keys={keysShown}>{open === 1 ? '1 needs you' : `${open} need you`}</KeysStrip>}
      crumbs={undefined}
      aside={
        <>
          <TodayOnPhone />
          <fieldset className="group" aria-label="Status">
            {tabs.map(([key, word]) => (
              <Button
                key={key}
                small
                className={status === key ? 'on' : ''}
                aria-pressed={status === key}
                onClick={() => change({ status: key === 'open' ? undefined : key, item: undefined })}
              >
                {word}
              </Button>
            ))}
          </fieldset>
          <label className="field quiet inbox-find">
            <Icon name="search" small />
            <input
              ref={find}
              aria-label="Filter the inbox"
              placeholder="Filter"
              value={q}
              onChange={(event) => change({ q: event.target.value || undefined })}
              onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            />
            <Kbd>/</Kbd>
          </label>
        </>
      }
    >
      <div className={`inbox-split${chosen !== undefined && current ? ' has-item' : ''}`}>
        <section className="inbox-list" aria-label={status === 'open' ? 'Open items' : 'Items'}>
          <div className="inbox-kinds">
            {[['', 'All'] as const, ...kinds.map(({ kind: key, plural }) => [key, plural] as const)].map(
              ([key, word]) => (
                <button
                  key={key}
                  type="button"
                  className={`tab${(kind ?? '') === key ? ' on' : ''}`}
                  aria-pressed={(kind ?? '') === key}
                  onClick={() => change({ kind: key || undefined, item: undefined })}
                >
                  {word}
                </button>
              ),
            )}
          </div>
          {live.value === undefined ? (
            live.failure ? (
              <Failed failure={live.failure} retry={live.refresh} />
            ) : (
              <Skeleton rows={6} />
            )
          ) : items.length === 0 ? (
            <div className="inbox-none">
              {q || kind ? (
                <Empty
                  title="Nothing here fits the filter"
                  action={
                    <Button small onClick={() => change({ q: undefined, kind: undefined })}>
                      Clear the filter
                    </Button>
                  }
                />
              ) : (
                <Empty title={status === 'open' ? 'Nothing waits for you' : 'Nothing here yet'}>
                  Questions, approvals and notices of agents come here, and can be answered here.
                </Empty>
              )}
            </div>
          ) : (
            <ItemList
              groups={shown}
              current={current?.id}
              ticked={ticked}
              open={(one) => change({ item: one.id }, isNarrow() ? 'step' : undefined)}
              tick={tick}
              tickAll={(all) => setTicked(new Set([...ticked, ...all.map(({ id }) => id)]))}
            />
          )}
          {selected.length > 0 && (
            <div className="inbox-bulk num">
              <span className="med">{selected.length} selected</span>
              <span className="grow" />
              <Button small keys="e" onClick={() => wave(selected)}>
                Dismiss
              </Button>
              <Button
                small
                look="ghost"
                icon="x"
                aria-label="Clear the selection"
                onClick={() => setTicked(new Set())}
              />
            </div>
          )}
        </section>
        {current ? (
          <ItemView
            key={current.id}
            item={current}
            back={() => change({ item: undefined })}
            dismiss={() => wave([current])}
          />
        ) : (
          <div className="item-view none mute">{items.length > 0 && 'Choose an item.'}</div>
        )}
      </div>
    </Page>
  )
}

const keysShown: KeysShown = [
  [['j', 'k'], 'move'],
  [['↵'], 'answer'],
  [['1', '–', '9'], 'option'],
  [['o', 's', 'a', 'd'], 'decide'],
  [['x'], 'select'],
  [['e'], 'dismiss'],
  [['z'], 'undo'],
  [['Esc'], 'back'],
]

const toAnswer = (): void => document.querySelector<HTMLElement>('.item-view .answer :is(button, textarea)')?.focus()

const isNarrow = (): boolean => matchMedia('(max-width: 767px)').matches
