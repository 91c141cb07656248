import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { pictureSize } from '../../../src/client/picture-size.ts'

/** A browser holds four bytes for each point: these are 160 MB. */
const POINTS = 40_000_000

/** A picture whose bytes came in an answer; one that would fill the memory is only told of. */
export function Picture({ data, mediaType, name }: { data: string; mediaType: string; name: string }): ReactNode {
  const bytes = useMemo(() => Uint8Array.from(atob(data), (char) => char.charCodeAt(0)), [data])
  const size = useMemo(() => pictureSize(mediaType, bytes), [mediaType, bytes])
  const shown = size !== undefined && size.width * size.height <= POINTS
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!shown) return
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaType }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [shown, bytes, mediaType])
  if (size === undefined) return <p className="pad soft">This is no picture that can be shown.</p>
  if (!shown)
    return (
      <p className="pad soft">
        The picture is {size.width.toLocaleString('en')} × {size.height.toLocaleString('en')} points, too many to show
        here.
      </p>
    )
  return url === undefined ? null : <img className="file-image" src={url} alt={name} />
}
