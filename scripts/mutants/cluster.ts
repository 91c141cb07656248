import { pathToFileURL } from 'node:url'

/**
 * A process of its own that holds the project's PostgreSQL for tests while its input is open, and prints where it is. The
 * library under it hooks into the end of the process that starts it, and must not decide how ours ends.
 */
const { default: setup } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  default: (project: { provide(key: string, value: string): void }) => Promise<() => Promise<void>>
}
const stop = await setup({ provide: (_key, value) => console.log(value) })
process.stdin.resume().on('end', async () => {
  await stop()
  process.exit(0)
})
