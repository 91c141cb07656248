import { type ReactNode, useMemo } from 'react'
import { readApproval } from '../../state/approval.ts'

const sign = { plain: '', add: '+', take: '−', place: '' } as const
const look = { plain: undefined, add: 'a', take: 'd', place: 'h' } as const

/** What would be done, to the letter; what it takes out of files and puts into them as a diff. */
export function Approval({ body }: { body: string }): ReactNode {
  const { head, lines, because, lineage, more } = useMemo(() => readApproval(body), [body])
  const added = lines.filter((line) => line.look === 'add').length
  const taken = lines.filter((line) => line.look === 'take').length
  return (
    <>
      <div className="item-block">
        <h3>The exact call</h3>
        {added + taken === 0 ? (
          <pre className="cmd">
            {lines.map(({ text }) => text.replace(/^command: /, '$ ')).join('\n')}
            <span className="cm">{`\n${head}`}</span>
          </pre>
        ) : (
          <div className="diff">
            <div className="diff-h">
              <span className="grow cut">{head}</span>
              <span className="plus">+{added}</span>
              <span className="minus">−{taken}</span>
            </div>
            <div className="item-diff">
              <table>
                <tbody>
                  {lines.map((line, at) => (
                    <tr key={at} className={look[line.look]}>
                      <td className="g">{sign[line.look]}</td>
                      <td>{line.text}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </div>
        )}
        {more > 0 && <p className="small mute">and {more.toLocaleString()} more lines</p>}
      </div>
      {because && <p className="small mute item-because">Asked {because}</p>}
      {lineage.length > 0 && (
        <div className="item-block">
          <h3>It goes back to</h3>
          {lineage.map((line) => (
            <p key={line} className="small soft">
              {line}
            </p>
          ))}
        </div>
      )}
    </>
  )
}
