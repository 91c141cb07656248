import { z } from '@hono/zod-openapi'
import { ErrorBody } from '../contract/api.ts'

/** The pieces routes are described with: the same description checks the request and makes the OpenAPI document. */

/** A schema that appears under its own name in the OpenAPI document. */
export const shape = <T extends z.ZodType>(name: string, schema: T): T => schema.meta({ id: name })

export const json = <T extends z.ZodType>(schema: T, description = 'Done') => ({
  description,
  content: { 'application/json': { schema } },
})

export const body = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { 'application/json': { schema } },
})

export const page = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().optional() })

const problem = json(shape('Error', ErrorBody), 'What went wrong and the way out')

/** What a route answers: one status with its shape, and errors. */
export const answers = <T extends z.ZodType>(schema: T) => ({ 200: json(schema), default: problem })

export const Ok = z.strictObject({ ok: z.literal(true) })

/** Every request may name its project here or in the header Troupe-Project. */
export const projectQuery = {
  project: z.string().optional().describe('A folder of the project; * for all where a list allows it'),
}

export const Named = z.object(projectQuery)

const LIMIT = 200

export const pageQuery = {
  ...projectQuery,
  limit: z.coerce.number().int().min(1).max(LIMIT).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,15}\.[\w-]{1,100}$/, 'it is no nextCursor of this list')
    .optional()
    .describe('nextCursor of the page before'),
}

/** For lists that are short by nature: whole, unless a page of them is asked for. */
export const wholeQuery = {
  ...projectQuery,
  limit: z.coerce.number().int().min(1).max(LIMIT).optional(),
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, 'it is no nextCursor of this list')
    .optional()
    .describe('nextCursor of the page before'),
}

export const Whole = z.object(wholeQuery)

/** The page that was asked for. */
export function pageOf<T>(items: readonly T[], { limit, cursor = '0' }: z.infer<typeof Whole>) {
  const end = Number(cursor) + (limit ?? items.length)
  return { items: items.slice(Number(cursor), end), ...(end < items.length ? { nextCursor: String(end) } : {}) }
}

export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()

/** `a,b` or the parameter given several times. */
export const commaList = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) =>
      [given]
        .flat()
        .flatMap((text) => text.split(','))
        .filter((text) => text !== ''),
    )
    .pipe(z.array(item))
    .optional()

export const Ref = z.object({ ref: z.string().min(1).max(100).describe('An id or any unique handle prefix') })
