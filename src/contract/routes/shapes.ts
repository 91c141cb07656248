import { z } from 'zod'

/** The pieces that routes are described with. */

/** What was begun, and what whoever began it should know: that everything is paused. */
export const begun = <T extends z.ZodRawShape>({ shape }: z.ZodObject<T>) =>
  z.strictObject({ ...shape, hint: z.string().optional() })

export const Ok = z.strictObject({ ok: z.literal(true) })

export const page = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().optional() })

/** Every request may name its project here or in the header Troupe-Project. */
export const projectQuery = {
  project: z.string().optional().describe('A folder of the project; * for all where a list allows it'),
}

export const InProject = z.object(projectQuery)

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

/** For lists that are short by nature: they come whole unless a page is asked for. */
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
export type Whole = z.infer<typeof Whole>

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

/** How long to wait: true = 120 s; a number of seconds up to 600. */
export const waitSeconds = z.union([z.stringbool(), z.coerce.number().min(0).max(600)]).optional()

export const Ref = z.object({ ref: z.string().min(1).max(100).describe('An id or any unique handle prefix') })
export const Id = z.object({ id: z.string() })
