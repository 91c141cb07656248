import { z } from 'zod'
import { InboxKind } from './inbox.ts'

export const WebhookFormat = z.enum(['json', 'slack', 'discord', 'teams'])
export type WebhookFormat = z.infer<typeof WebhookFormat>

const secret = '"$NAME" reads the environment variable NAME.'

const WebhookChannel = z.strictObject({
  type: z.literal('webhook'),
  url: z.string().min(1).max(2000).describe(`Where it is posted. ${secret}`),
  format: WebhookFormat.optional().describe(
    '"json" unless told, signed with the key in webhook.key of the data folder.',
  ),
  private: z.boolean().optional().describe('The address may be on this machine or in a private network.'),
})

const EmailChannel = z.strictObject({
  type: z.literal('email'),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).optional().describe('587 unless told, 465 with "secure".'),
  secure: z.boolean().optional().describe('TLS from the beginning; otherwise STARTTLS where the server has it.'),
  user: z.string().optional(),
  password: z.string().optional().describe(secret),
  from: z.string().min(3),
  to: z.union([z.string().min(3), z.array(z.string().min(3)).min(1).max(20)]),
})

/** Where the person is told of what is in the inbox, besides terminal and page. */
export const Channel = z.discriminatedUnion('type', [WebhookChannel, EmailChannel])
export type Channel = z.infer<typeof Channel>

const ChannelName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lowercase letters, digits and dashes')

const CHANNELS = 20

/** Which items go to which channels: one that fits each list that is given. All rules that fit count. */
export const ChannelRoute = z.strictObject({
  kinds: z.array(InboxKind).min(1).max(10).optional(),
  projects: z.array(z.string().min(1)).min(1).max(100).optional().describe('Folders.'),
  agents: z.array(z.string().min(1)).min(1).max(100).optional(),
  channels: z.array(ChannelName).min(1).max(CHANNELS),
})
export type ChannelRoute = z.infer<typeof ChannelRoute>

export const Channels = z.strictObject({
  to: z
    .record(ChannelName, Channel)
    .refine((channels) => Object.keys(channels).length <= CHANNELS, `must be at most ${CHANNELS} channels`)
    .optional()
    .describe('By name.'),
  away: z
    .array(ChannelName)
    .max(CHANNELS)
    .optional()
    .describe('Questions and approvals go there too while the person is away.'),
  approvals: z
    .boolean()
    .optional()
    .describe('Whether links in channels may also approve calls and decide about money (false).'),
})
export type Channels = z.infer<typeof Channels>
