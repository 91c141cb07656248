import type { Dialect, Migration } from './migration.ts'

/** The digest that an approval was bound to. What cannot be read was not approved, and is asked for again. */
const bound: Record<Dialect, string> = {
  sqlite: `case when json_valid(waits_for) then json_extract(waits_for, '$.bound') end`,
  postgres: `substring(waits_for from '"bound":"([^"]*)"')`,
}

/** One column held what a call waits for, the approval it was given, and its result. */
export const waits: Migration = {
  name: 'waits',
  statements: (dialect) => [
    'alter table calls rename column resolution to result',
    'alter table calls add column waits_for text',
    'alter table calls add column approved text',
    // A result begins with its output; nothing else that was kept there does.
    `update calls set waits_for = result, result = null where state <> 'resolved' and result not like '{"output"%'`,
    `update calls set approved = ${bound[dialect]}
      where state in ('ready', 'started') and waits_for like '%,"approved":"%"}'`,
    `update calls set waits_for = '{"mailId":"' || ref || '","created":'
        || case when waits_for like '{"created":true%' then 'true' else 'false' end || '}'
      where state = 'parked' and kind = 'ask' and ref is not null`,
    `update calls set waits_for = (
        select replace(payload, '{"output":', '{"result":') from timers where timers.id = calls.id)
      where state = 'parked' and kind = 'timer'`,
    'alter table calls drop column ref',
  ],
}
