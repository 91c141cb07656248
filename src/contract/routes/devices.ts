import { Login } from '../api.ts'
import { Device, DeviceToken, LoginCode } from '../devices.ts'
import type { RouteTable } from './route.ts'
import { Id, Ok, page, Whole } from './shapes.ts'

/** A one-time code becomes a device's token; devices are listed and revoked. */
export const deviceRoutes = {
  'POST /api/login': {
    summary: 'Exchange a one-time code for the token of a new device; needs no token',
    who: 'anyone',
    body: Login,
    answer: DeviceToken,
  },
  'POST /api/devices/code': {
    summary: 'Make a one-time login code, valid for five minutes',
    who: 'person',
    answer: LoginCode,
  },
  'GET /api/devices': {
    summary: 'The devices that hold a token',
    who: 'person',
    query: Whole,
    answer: page(Device),
  },
  'DELETE /api/devices/{id}': {
    summary: 'Revoke a device',
    who: 'person',
    params: Id,
    answer: Ok,
  },
} as const satisfies RouteTable
