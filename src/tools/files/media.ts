/** Recognises images and documents that models accept by their first bytes, not by their name. */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const begins = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (begins('\xff\xd8\xff')) return 'image/jpeg'
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif'
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp'
  return begins('%PDF-') ? 'application/pdf' : undefined
}
