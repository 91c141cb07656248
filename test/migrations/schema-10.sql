-- What the program of schema 10 (commit 1633990) left in SQLite when it was killed: one session for each thing that can wait.
-- {project}, {projectId} and {bound-…} depend on the folder it is put into; the rules of the prompts are shortened.
CREATE TABLE migrations (id bigint primary key, name text not null, at bigint not null);
CREATE TABLE projects (id text primary key, path text not null, created_at bigint not null);
CREATE TABLE sessions ( id text primary key, project_id text not null, agent text not null, mode text not null, parent_session_id text, client_id text, title text not null, pinned_at bigint, attributes text not null, model text, status text not null, reason text, workspace text not null, unattended text, message_count bigint not null, next_seq bigint not null, next_mail bigint not null, log_version bigint not null, tokens_input bigint not null, tokens_output bigint not null, tokens_cached bigint not null, tokens_reasoning bigint not null, cost_usd double precision not null, compaction_count bigint not null, auto_wake_budget bigint not null, last_snippet text not null, read_seq bigint not null, turn_id text, signal text, wanted_at bigint, priority bigint not null, lease_owner text, lease_until bigint, fence bigint not null, attempts bigint not null, created_at bigint not null, updated_at bigint not null, closed_at bigint, deleted_at bigint, makers text not null default '[]', wakes_spent bigint not null default 0, task_id text, came_from text, switch_id text, stopped_by text, total_cost_usd double precision not null default 0, unpriced_tokens bigint not null default 0);
CREATE UNIQUE INDEX sessions_client on sessions (project_id, client_id) where client_id is not null;
CREATE INDEX sessions_list on sessions (project_id, updated_at);
CREATE INDEX sessions_handle on sessions (project_id, id);
CREATE INDEX sessions_wanted on sessions (priority, wanted_at) where wanted_at is not null;
CREATE TABLE messages ( session_id text not null references sessions (id), seq bigint not null, role text not null, parts text not null, from_kind text, from_agent text, from_session_id text, mail_id text, turn_id text, model text, tokens_input bigint, tokens_output bigint, tokens_cached bigint, tokens_reasoning bigint, cost_usd double precision, duration_ms bigint, interrupted bigint not null, edited_at bigint, deleted_at bigint, created_at bigint not null, asks bigint, from_handle text, primary key (session_id, seq));
CREATE TABLE mail ( id text primary key, project_id text not null, session_id text not null references sessions (id), position bigint not null, from_kind text not null, from_agent text, from_session_id text, content text not null, followup bigint not null, interrupt bigint not null, outcome text not null, state text not null, turn_id text, client_id text, reply_to text, chain_id text not null, hops bigint not null, expires_at bigint, taken_at bigint, created_at bigint not null, ask_state text, ask_call_id text, ask_until bigint, answer text, cost_usd double precision not null default 0, from_handle text, told_with text, unpriced_tokens bigint not null default 0);
CREATE UNIQUE INDEX mail_client on mail (project_id, client_id) where client_id is not null;
CREATE INDEX mail_waiting on mail (session_id, position) where state in ('queued', 'held', 'suppressed');
CREATE TABLE calls ( id text primary key, session_id text not null references sessions (id), turn_id text not null, message_seq bigint not null, position bigint not null, name text not null, input text not null, vendor_call_id text not null, state text not null, kind text, inbox_id text, resolution text, started_at bigint, created_at bigint not null, ref text, ended_at bigint, hidden bigint not null default 0);
CREATE INDEX calls_open on calls (session_id, message_seq, position) where state <> 'done';
CREATE TABLE turns ( id text primary key, session_id text not null references sessions (id), started_at bigint not null, ended_at bigint, ended_as text, reason text, iterations bigint not null, waiting_since bigint, waited_ms bigint not null, tokens_input bigint not null, tokens_output bigint not null, tokens_cached bigint not null, tokens_reasoning bigint not null, cost_usd double precision not null, chain_id text, hops bigint not null default 0, cause text, total_cost_usd double precision not null default 0, unpriced_tokens bigint not null default 0);
CREATE INDEX turns_session on turns (session_id, started_at);
CREATE TABLE inbox ( id text primary key, project_id text not null, session_id text references sessions (id), call_id text, kind text not null, status text not null, title text not null, body text not null, options text, from_kind text not null, from_agent text, answer text, answered_by text, created_at bigint not null, answered_at bigint);
CREATE INDEX inbox_list on inbox (status, created_at);
CREATE INDEX inbox_session on inbox (session_id) where status = 'open';
CREATE TABLE events ( id integer primary key autoincrement, at bigint not null, type text not null, project_id text not null, session_id text, data text not null, task_id text, run_id text, node_id text);
CREATE INDEX events_session on events (session_id, id) where session_id is not null;
CREATE TABLE timers ( id text primary key, due_at bigint not null, kind text not null, ref text not null, session_id text not null references sessions (id), payload text not null, claimed_by text, claimed_until bigint);
CREATE INDEX timers_due on timers (due_at);
CREATE TABLE todos ( session_id text primary key references sessions (id), todos text not null, call_id text not null, updated_at bigint not null);
CREATE TABLE prompts ( session_id text primary key references sessions (id), key text not null, model text not null, text text not null, sections text not null, created_at bigint not null, told text not null default '{}');
CREATE TABLE grants ( session_id text not null references sessions (id), tool text not null, created_at bigint not null, primary key (session_id, tool));
CREATE INDEX sessions_parent on sessions (parent_session_id) where parent_session_id is not null;
CREATE INDEX mail_asked on mail (session_id) where ask_state in ('open', 'late');
CREATE INDEX mail_asking on mail (from_session_id) where ask_state = 'open';
CREATE INDEX mail_chain on mail (chain_id, created_at) where from_kind <> 'human';
CREATE TABLE tasks ( id text primary key, project_id text not null, agent text not null, session_id text not null references sessions (id), parent_session_id text references sessions (id), call_id text, status text not null, top_level bigint not null, return_mode text not null, instruction text not null, output text, error text, max_duration_ms bigint, summarizing bigint not null, chain_id text not null, hops bigint not null, cost_usd double precision not null, created_at bigint not null, started_at bigint, finished_at bigint, updated_at bigint not null, priority text not null default 'normal', max_wait_ms bigint not null default 3600000, total_cost_usd double precision not null default 0, unpriced_tokens bigint not null default 0);
CREATE UNIQUE INDEX tasks_call on tasks (parent_session_id, call_id) where call_id is not null;
CREATE INDEX tasks_chain on tasks (chain_id);
CREATE INDEX tasks_open on tasks (status, created_at) where status in ('pending', 'processing', 'waiting');
CREATE TABLE subscriptions ( task_id text not null references tasks (id), session_id text not null references sessions (id), call_id text, state text not null, created_at bigint not null, charged_usd double precision not null default 0, charged_tokens bigint not null default 0, primary key (task_id, session_id));
CREATE INDEX subscriptions_call on subscriptions (call_id) where call_id is not null;
CREATE TABLE chains ( id text primary key, project_id text not null, more_hops bigint not null, more_tasks bigint not null, notice_id text, refused_session_id text, stopped_at bigint not null);
CREATE INDEX chains_notice on chains (notice_id) where notice_id is not null;
CREATE TABLE tombstones ( session_id text not null references sessions (id), seq bigint not null, version bigint not null, parts text not null, at bigint not null, primary key (session_id, seq, version));
CREATE TABLE switches ( id text primary key, from_session_id text not null references sessions (id), to_session_id text not null references sessions (id), client_id text, mail_id text, at bigint not null);
CREATE UNIQUE INDEX switches_client on switches (from_session_id, client_id) where client_id is not null;
CREATE TABLE log_notes ( session_id text not null references sessions (id), call_id text not null, primary key (session_id, call_id));
CREATE INDEX timers_claimed on timers (claimed_until) where claimed_until is not null;
CREATE TABLE requests ( id text primary key, session_id text not null references sessions (id), turn_id text not null, model text not null, outcome text not null, at bigint not null, tokens_input bigint not null, tokens_output bigint not null, tokens_cached bigint not null, tokens_reasoning bigint not null, cost_usd double precision);
CREATE INDEX requests_at on requests (at);
CREATE TABLE seen ( session_id text not null references sessions (id), path text not null, digest text not null, seen_at bigint not null, primary key (session_id, path));
CREATE INDEX events_task_id on events (task_id, id) where task_id is not null;
CREATE INDEX events_run_id on events (run_id, id) where run_id is not null;
CREATE INDEX events_node_id on events (node_id, id) where node_id is not null;
CREATE TABLE events_removed (id bigint not null);
insert into events_removed values (0);
CREATE TRIGGER events_removed after delete on events when old.id > (select id from events_removed) begin update events_removed set id = old.id; end;
insert into migrations (id, name, at) values
(1, 'trunk', 1794819600000),
(2, 'makers', 1794819600000),
(3, 'talk', 1794819600000),
(4, 'provenance', 1794819600000),
(5, 'task-slots', 1794819600000),
(6, 'claimed timers', 1794819600000),
(7, 'money', 1794819600000),
(8, 'told', 1794819600000),
(9, 'secrets', 1794819600000),
(10, 'events', 1794819600000);
insert into projects (id, path, created_at) values
('{projectId}', '{project}', 1794819601000);
insert into sessions (id, project_id, agent, mode, parent_session_id, client_id, title, attributes, status, reason, workspace, message_count, next_seq, next_mail, log_version, tokens_input, tokens_output, tokens_cached, tokens_reasoning, cost_usd, compaction_count, auto_wake_budget, last_snippet, read_seq, turn_id, wanted_at, priority, lease_owner, lease_until, fence, attempts, created_at, updated_at, makers, wakes_spent, task_id, total_cost_usd, unpriced_tokens) values
('110361e9c7f232c63fffac82f2856f40', '{projectId}', 'approval', 'chat', null, null, 'approval', '{}', 'waiting', 'Waiting for bash (approval).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Write the file.', 0, 'turn_55dbc3ca49b513f8856b7d18', null, 0, null, null, 1, 0, 1794819601000, 1794819602000, '[]', 0, null, 0, 120),
('1dbf3a4b585ea95aedb465420687b8b7', '{projectId}', 'question', 'chat', null, null, 'question', '{}', 'waiting', 'Waiting for ask_human (question).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Paint it.', 0, 'turn_1b5b083bcff82a8b0abe9ef9', null, 0, null, null, 1, 0, 1794819604000, 1794819605000, '[]', 0, null, 0, 120),
('12867d73224bab322cdd672fa6c9ee63', '{projectId}', 'timer', 'chat', null, null, 'timer', '{}', 'waiting', 'Waiting for sleep (timer).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Wait a little.', 0, 'turn_33154f422d875a29f3d5b9a8', null, 0, null, null, 1, 0, 1794819607000, 1794819608000, '[]', 0, null, 0, 120),
('29c9a18b130976ce35e454f15e3e7f5f', '{projectId}', 'ask', 'chat', null, null, 'ask', '{}', 'waiting', 'Waiting for agent_message (ask).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Ask them.', 0, 'turn_b6811ebb6b97b2b04a693194', null, 0, null, null, 1, 0, 1794819610000, 1794819611000, '[]', 0, null, 0, 120),
('c3f639db65b4d2c5199fe8c072ead5a8', '{projectId}', 'asked', 'chat', null, 'mail:call:call_faaa87688f3448925790da34', 'What is it?', '{}', 'waiting', 'Waiting for ask_human (question).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'What is it?', 0, 'turn_aeb613d4f5175ebf813e8e70', null, 0, null, null, 1, 0, 1794819611000, 1794819612000, '[{"from":"agent ask","tools":{"allow":["agent_message","ask_human"]},"handed":true}]', 0, null, 0, 120),
('ac00fa184a128b776028202f37a5c348', '{projectId}', 'spawn', 'chat', null, null, 'spawn', '{}', 'waiting', 'Waiting for agent_spawn (spawn).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Have them counted.', 0, 'turn_6c96b8b4432b62887f7200a8', null, 0, null, null, 1, 0, 1794819613000, 1794819614000, '[]', 0, null, 0, 120),
('2ac4c758930c07816a1c78cec7ef1deb', '{projectId}', 'child', 'subagent', 'ac00fa184a128b776028202f37a5c348', null, 'Count them.', '{}', 'waiting', 'Waiting for ask_human (question).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Count them.', 0, 'turn_59f99935cf8e87411c5b6089', null, 0, null, null, 1, 0, 1794819614000, 1794819615000, '[{"from":"agent spawn","tools":{"allow":["agent_spawn","ask_human"]}}]', 1, 'task_473338e3ef4e251353ffaafb', 0, 120),
('9d771b55ef08dd4d3d20a57fca907d21', '{projectId}', 'tasks', 'chat', null, null, 'tasks', '{}', 'waiting', 'Waiting for task_wait (tasks).', '{project}', 5, 6, 2, 0, 200, 40, 0, 0, 0, 0, 6, 'Wait for the first.', 0, 'turn_36df8e5bbdaa3be3d917c201', null, 0, null, null, 1, 0, 1794819616000, 1794819617000, '[]', 0, null, 0, 240),
('22d58b0e543c3bc3f3ef6d3389a51095', '{projectId}', 'napper', 'subagent', '9d771b55ef08dd4d3d20a57fca907d21', null, 'Rest.', '{}', 'waiting', 'Waiting for sleep (timer).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Rest.', 0, 'turn_7964148792a76c45f27b28fb', null, 0, null, null, 1, 0, 1794819617000, 1794819617000, '[{"from":"agent tasks","tools":{"allow":["agent_spawn","task_wait","ask_human","sleep"]}}]', 1, 'task_a374f0ec785eb18c9b4d1397', 0, 120),
('c7c3feefcc7b04f9595bf0f8b1c072b0', '{projectId}', 'sitter', 'subagent', '9d771b55ef08dd4d3d20a57fca907d21', null, 'Rest.', '{}', 'waiting', 'Waiting for ask_human (question).', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Rest.', 0, 'turn_92bc27158d7a81b41b57a4a1', null, 0, null, null, 1, 0, 1794819617000, 1794819617000, '[{"from":"agent tasks","tools":{"allow":["agent_spawn","task_wait","ask_human","sleep"]}}]', 1, 'task_30a4f11c1810eb09d1193088', 0, 120),
('32d226fbe215b48ca9cef58b67fd3a55', '{projectId}', 'mail', 'chat', null, null, 'mail', '{}', 'paused', 'Paused by a person.', '{project}', 2, 3, 4, 0, 100, 20, 0, 0, 0, 0, 6, 'Ready.', 0, 'turn_bfaed2cf2aa499d88a88673b', null, 0, null, null, 1, 0, 1794819619000, 1794819622000, '[]', 0, null, 0, 120),
('ec888a05e44f65bf3605961c0984aeec', '{projectId}', 'answered', 'chat', null, null, 'answered', '{}', 'paused', 'Paused by a person.', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Offer something.', 0, 'turn_85f27234a9b528e71fe03ae6', null, 0, null, null, 1, 0, 1794819623000, 1794819624000, '[]', 0, null, 0, 120),
('48c96ef803b87d220444cf888d3183d7', '{projectId}', 'allowed', 'chat', null, null, 'allowed', '{}', 'paused', 'Paused by a person.', '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Write the other file.', 0, 'turn_8c8d058c32a200e48276ec5a', null, 0, null, null, 1, 0, 1794819626000, 1794819627000, '[]', 0, null, 0, 120),
('62d37e28c66aada33958f37a969f6920', '{projectId}', 'news', 'chat', null, null, 'news', '{}', 'idle', null, '{project}', 4, 5, 2, 0, 200, 40, 0, 0, 0, 0, 6, 'Told.', 0, null, null, 0, null, null, 1, 0, 1794819636000, 1794819640000, '[]', 0, null, 0, 240),
('469b679cb414ec8050c4704991dc611b', '{projectId}', 'writing', 'chat', null, null, 'writing', '{}', 'running', null, '{project}', 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 6, 'Write a poem.', 0, 'turn_3701d1490316c766919e5ccc', 1794819640000, 0, '91fbd2da57817833', 1794819646000, 1, 1, 1794819639000, 1794819640000, '[]', 0, null, 0, 0),
('ef012895b9769cb77eb5a4aea3825e55', '{projectId}', 'command', 'chat', null, null, 'command', '{}', 'running', null, '{project}', 2, 3, 2, 0, 100, 20, 0, 0, 0, 0, 6, 'Run it.', 0, 'turn_1321cfc0dd64042e51f89e53', 1794819643000, 0, '91fbd2da57817833', 1794819649000, 1, 1, 1794819642000, 1794819644000, '[]', 0, null, 0, 120);
insert into messages (session_id, seq, role, parts, from_kind, from_agent, from_session_id, mail_id, turn_id, model, tokens_input, tokens_output, tokens_cached, tokens_reasoning, duration_ms, interrupted, created_at, asks, from_handle) values
('110361e9c7f232c63fffac82f2856f40', 1, 'user', '[{"type":"text","text":"Write the file."}]', 'human', null, null, 'mail_8498d111b6ad2b33ff50d206', 'turn_55dbc3ca49b513f8856b7d18', null, null, null, null, null, null, 0, 1794819602000, null, null),
('110361e9c7f232c63fffac82f2856f40', 2, 'assistant', '[{"type":"tool-call","callId":"call_d62c9bbd59503a2d7d2c9f8f","vendorCallId":"call_100000000","name":"bash","input":{"command":"touch approved.txt"}}]', null, null, null, null, 'turn_55dbc3ca49b513f8856b7d18', 'lab/approval', 100, 20, 0, 0, 191, 0, 1794819602000, null, null),
('1dbf3a4b585ea95aedb465420687b8b7', 1, 'user', '[{"type":"text","text":"Paint it."}]', 'human', null, null, 'mail_6614229ba57e16a3e9e18be3', 'turn_1b5b083bcff82a8b0abe9ef9', null, null, null, null, null, null, 0, 1794819605000, null, null),
('1dbf3a4b585ea95aedb465420687b8b7', 2, 'assistant', '[{"type":"tool-call","callId":"call_cec03f664999f6d99e4cd8a1","vendorCallId":"call_200000000","name":"ask_human","input":{"question":"Which one?","options":["red","blue"]}}]', null, null, null, null, 'turn_1b5b083bcff82a8b0abe9ef9', 'lab/question', 100, 20, 0, 0, 29, 0, 1794819605000, null, null),
('12867d73224bab322cdd672fa6c9ee63', 1, 'user', '[{"type":"text","text":"Wait a little."}]', 'human', null, null, 'mail_dd389e1b2557914228239607', 'turn_33154f422d875a29f3d5b9a8', null, null, null, null, null, null, 0, 1794819608000, null, null),
('12867d73224bab322cdd672fa6c9ee63', 2, 'assistant', '[{"type":"tool-call","callId":"call_bcb1bfb2f640fa7cde36f563","vendorCallId":"call_300000000","name":"sleep","input":{"seconds":300}}]', null, null, null, null, 'turn_33154f422d875a29f3d5b9a8', 'lab/timer', 100, 20, 0, 0, 20, 0, 1794819608000, null, null),
('29c9a18b130976ce35e454f15e3e7f5f', 1, 'user', '[{"type":"text","text":"Ask them."}]', 'human', null, null, 'mail_b3d04bac786e2ecd6f32c9a8', 'turn_b6811ebb6b97b2b04a693194', null, null, null, null, null, null, 0, 1794819611000, null, null),
('29c9a18b130976ce35e454f15e3e7f5f', 2, 'assistant', '[{"type":"tool-call","callId":"call_faaa87688f3448925790da34","vendorCallId":"call_400000000","name":"agent_message","input":{"to":"asked","message":"What is it?","timeout":600}}]', null, null, null, null, 'turn_b6811ebb6b97b2b04a693194', 'lab/ask', 100, 20, 0, 0, 23, 0, 1794819611000, null, null),
('c3f639db65b4d2c5199fe8c072ead5a8', 1, 'user', '[{"type":"text","text":"What is it?"}]', 'agent', 'ask', '29c9a18b130976ce35e454f15e3e7f5f', 'mail_8b020dc758a990664a77c17f', 'turn_aeb613d4f5175ebf813e8e70', null, null, null, null, null, null, 0, 1794819611000, 1, '29c9'),
('c3f639db65b4d2c5199fe8c072ead5a8', 2, 'assistant', '[{"type":"tool-call","callId":"call_3e55cdab61e6fbef6e8325c0","vendorCallId":"call_500000000","name":"ask_human","input":{"question":"May I tell?"}}]', null, null, null, null, 'turn_aeb613d4f5175ebf813e8e70', 'lab/asked', 100, 20, 0, 0, 7, 0, 1794819612000, null, null),
('ac00fa184a128b776028202f37a5c348', 1, 'user', '[{"type":"text","text":"Have them counted."}]', 'human', null, null, 'mail_0b89c3ac90572d6acbecab9b', 'turn_6c96b8b4432b62887f7200a8', null, null, null, null, null, null, 0, 1794819614000, null, null),
('ac00fa184a128b776028202f37a5c348', 2, 'assistant', '[{"type":"tool-call","callId":"call_5a5ba9a3d967855e56218869","vendorCallId":"call_600000000","name":"agent_spawn","input":{"agent":"child","instruction":"Count them.","returnMode":"lastMessage"}}]', null, null, null, null, 'turn_6c96b8b4432b62887f7200a8', 'lab/spawn', 100, 20, 0, 0, 18, 0, 1794819614000, null, null),
('2ac4c758930c07816a1c78cec7ef1deb', 1, 'user', '[{"type":"text","text":"Count them."}]', 'agent', 'spawn', 'ac00fa184a128b776028202f37a5c348', 'mail_ab905f04bf68c1ef1a6bdaf0', 'turn_59f99935cf8e87411c5b6089', null, null, null, null, null, null, 0, 1794819614000, null, 'ac00'),
('2ac4c758930c07816a1c78cec7ef1deb', 2, 'assistant', '[{"type":"tool-call","callId":"call_79b5a082eac9fd058d84d879","vendorCallId":"call_700000000","name":"ask_human","input":{"question":"How many?"}}]', null, null, null, null, 'turn_59f99935cf8e87411c5b6089', 'lab/child', 100, 20, 0, 0, 28, 0, 1794819615000, null, null),
('9d771b55ef08dd4d3d20a57fca907d21', 1, 'user', '[{"type":"text","text":"Wait for the first."}]', 'human', null, null, 'mail_6fe9e65ae00447c1347e9c10', 'turn_36df8e5bbdaa3be3d917c201', null, null, null, null, null, null, 0, 1794819617000, null, null),
('9d771b55ef08dd4d3d20a57fca907d21', 2, 'assistant', '[{"type":"tool-call","callId":"call_51a82b42dfdfd76bee9efd26","vendorCallId":"call_800000000","name":"agent_spawn","input":{"agent":"napper","instruction":"Rest.","wait":false,"returnMode":"lastMessage"}},{"type":"tool-call","callId":"call_aa8fe29511acec056f80fb32","vendorCallId":"call_900000000","name":"agent_spawn","input":{"agent":"sitter","instruction":"Rest.","wait":false,"returnMode":"lastMessage"}}]', null, null, null, null, 'turn_36df8e5bbdaa3be3d917c201', 'lab/tasks', 100, 20, 0, 0, 15, 0, 1794819617000, null, null),
('9d771b55ef08dd4d3d20a57fca907d21', 3, 'tool', '[{"type":"tool-result","callId":"call_51a82b42dfdfd76bee9efd26","vendorCallId":"call_800000000","name":"agent_spawn","output":{"taskId":"task_a374f0ec785eb18c9b4d1397","session":"22d5","status":"processing"}}]', null, null, null, null, 'turn_36df8e5bbdaa3be3d917c201', null, null, null, null, null, null, 0, 1794819617000, null, null),
('9d771b55ef08dd4d3d20a57fca907d21', 4, 'tool', '[{"type":"tool-result","callId":"call_aa8fe29511acec056f80fb32","vendorCallId":"call_900000000","name":"agent_spawn","output":{"taskId":"task_30a4f11c1810eb09d1193088","session":"c7c3","status":"processing"}}]', null, null, null, null, 'turn_36df8e5bbdaa3be3d917c201', null, null, null, null, null, null, 0, 1794819617000, null, null),
('22d58b0e543c3bc3f3ef6d3389a51095', 1, 'user', '[{"type":"text","text":"Rest."}]', 'agent', 'tasks', '9d771b55ef08dd4d3d20a57fca907d21', 'mail_6609fa9ed52d78fce991e74d', 'turn_7964148792a76c45f27b28fb', null, null, null, null, null, null, 0, 1794819617000, null, '9d77'),
('c7c3feefcc7b04f9595bf0f8b1c072b0', 1, 'user', '[{"type":"text","text":"Rest."}]', 'agent', 'tasks', '9d771b55ef08dd4d3d20a57fca907d21', 'mail_03c0163206d93c07e77f4406', 'turn_92bc27158d7a81b41b57a4a1', null, null, null, null, null, null, 0, 1794819617000, null, '9d77'),
('9d771b55ef08dd4d3d20a57fca907d21', 5, 'assistant', '[{"type":"tool-call","callId":"call_df386cdba52b6536e3cce69b","vendorCallId":"call_a00000000","name":"task_wait","input":{"taskIds":["task_a374f0ec785eb18c9b4d1397","task_30a4f11c1810eb09d1193088"],"until":"any","timeout":3600}}]', null, null, null, null, 'turn_36df8e5bbdaa3be3d917c201', 'lab/tasks', 100, 20, 0, 0, 37, 0, 1794819617000, null, null),
('22d58b0e543c3bc3f3ef6d3389a51095', 2, 'assistant', '[{"type":"tool-call","callId":"call_4f039115b8fe22f4da73058a","vendorCallId":"call_b00000000","name":"sleep","input":{"seconds":300}}]', null, null, null, null, 'turn_7964148792a76c45f27b28fb', 'lab/napper', 100, 20, 0, 0, 70, 0, 1794819617000, null, null),
('c7c3feefcc7b04f9595bf0f8b1c072b0', 2, 'assistant', '[{"type":"tool-call","callId":"call_d88d5fcd676cac7d0de135ce","vendorCallId":"call_c00000000","name":"ask_human","input":{"question":"Still there?"}}]', null, null, null, null, 'turn_92bc27158d7a81b41b57a4a1', 'lab/sitter', 100, 20, 0, 0, 75, 0, 1794819617000, null, null),
('32d226fbe215b48ca9cef58b67fd3a55', 1, 'user', '[{"type":"text","text":"Get ready."}]', 'human', null, null, 'mail_c2e5218eff4024bbab277160', 'turn_bfaed2cf2aa499d88a88673b', null, null, null, null, null, null, 0, 1794819621000, null, null),
('32d226fbe215b48ca9cef58b67fd3a55', 2, 'assistant', '[{"type":"text","text":"Ready."}]', null, null, null, null, 'turn_bfaed2cf2aa499d88a88673b', 'lab/mail', 100, 20, 0, 0, 17, 0, 1794819621000, null, null),
('ec888a05e44f65bf3605961c0984aeec', 1, 'user', '[{"type":"text","text":"Offer something."}]', 'human', null, null, 'mail_8d8d3fef602426e6cdd50eae', 'turn_85f27234a9b528e71fe03ae6', null, null, null, null, null, null, 0, 1794819624000, null, null),
('ec888a05e44f65bf3605961c0984aeec', 2, 'assistant', '[{"type":"tool-call","callId":"call_d9be615035f42048c07fcc1c","vendorCallId":"call_d00000000","name":"ask_human","input":{"question":"Tea?"}}]', null, null, null, null, 'turn_85f27234a9b528e71fe03ae6', 'lab/answered', 100, 20, 0, 0, 5, 0, 1794819624000, null, null),
('48c96ef803b87d220444cf888d3183d7', 1, 'user', '[{"type":"text","text":"Write the other file."}]', 'human', null, null, 'mail_2ee34efc122dd0570baabf05', 'turn_8c8d058c32a200e48276ec5a', null, null, null, null, null, null, 0, 1794819627000, null, null),
('48c96ef803b87d220444cf888d3183d7', 2, 'assistant', '[{"type":"tool-call","callId":"call_ce05204085734464dac23fac","vendorCallId":"call_e00000000","name":"bash","input":{"command":"touch allowed.txt"}}]', null, null, null, null, 'turn_8c8d058c32a200e48276ec5a', 'lab/allowed', 100, 20, 0, 0, 3, 0, 1794819627000, null, null),
('62d37e28c66aada33958f37a969f6920', 1, 'user', '[{"type":"text","text":"Tell me when it is spring."}]', 'human', null, null, 'mail_e8a0ce6abf58697fba2b031d', 'turn_de4692391e262f99e6235ae8', null, null, null, null, null, null, 0, 1794819639000, null, null),
('62d37e28c66aada33958f37a969f6920', 2, 'assistant', '[{"type":"tool-call","callId":"call_a007ba67ac7871a268f0811d","vendorCallId":"call_f00000000","name":"agent_send","input":{"to":"human","message":"It is spring."}}]', null, null, null, null, 'turn_de4692391e262f99e6235ae8', 'lab/news', 100, 20, 0, 0, 12, 0, 1794819640000, null, null),
('62d37e28c66aada33958f37a969f6920', 3, 'tool', '[{"type":"tool-result","callId":"call_a007ba67ac7871a268f0811d","vendorCallId":"call_f00000000","name":"agent_send","output":{"inboxId":"inbox_call_call_a007ba67ac7871a268f0811d","outcome":"in the inbox of the person"}}]', null, null, null, null, 'turn_de4692391e262f99e6235ae8', null, null, null, null, null, null, 0, 1794819640000, null, null),
('469b679cb414ec8050c4704991dc611b', 1, 'user', '[{"type":"text","text":"Write a poem."}]', 'human', null, null, 'mail_2ad361ac7540a684783484dd', 'turn_3701d1490316c766919e5ccc', null, null, null, null, null, null, 0, 1794819640000, null, null),
('62d37e28c66aada33958f37a969f6920', 4, 'assistant', '[{"type":"text","text":"Told."}]', null, null, null, null, 'turn_de4692391e262f99e6235ae8', 'lab/news', 100, 20, 0, 0, 9, 0, 1794819640000, null, null),
('ef012895b9769cb77eb5a4aea3825e55', 1, 'user', '[{"type":"text","text":"Run it."}]', 'human', null, null, 'mail_bd07fdad510c0834117c70a7', 'turn_1321cfc0dd64042e51f89e53', null, null, null, null, null, null, 0, 1794819643000, null, null),
('ef012895b9769cb77eb5a4aea3825e55', 2, 'assistant', '[{"type":"tool-call","callId":"call_e56a5fc44b84c90a660af816","vendorCallId":"call_g00000000","name":"bash","input":{"command":"echo begun; sleep 100"}}]', null, null, null, null, 'turn_1321cfc0dd64042e51f89e53', 'lab/command', 100, 20, 0, 0, 22, 0, 1794819644000, null, null);
insert into mail (id, project_id, session_id, position, from_kind, from_agent, from_session_id, content, followup, interrupt, outcome, state, turn_id, client_id, chain_id, hops, taken_at, created_at, ask_state, ask_call_id, ask_until, cost_usd, from_handle, unpriced_tokens) values
('mail_8498d111b6ad2b33ff50d206', '{projectId}', '110361e9c7f232c63fffac82f2856f40', 1, 'human', null, null, 'Write the file.', 0, 0, 'started', 'taken', 'turn_55dbc3ca49b513f8856b7d18', null, 'chain_5cd3c83c6d26041f2a17675e', 0, 1794819602000, 1794819602000, null, null, null, 0, null, 0),
('mail_6614229ba57e16a3e9e18be3', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', 1, 'human', null, null, 'Paint it.', 0, 0, 'started', 'taken', 'turn_1b5b083bcff82a8b0abe9ef9', null, 'chain_4910081bc25e748bf8e3347b', 0, 1794819605000, 1794819605000, null, null, null, 0, null, 0),
('mail_dd389e1b2557914228239607', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', 1, 'human', null, null, 'Wait a little.', 0, 0, 'started', 'taken', 'turn_33154f422d875a29f3d5b9a8', null, 'chain_6b9c4d183ec2fb649e7f8797', 0, 1794819608000, 1794819608000, null, null, null, 0, null, 0),
('mail_b3d04bac786e2ecd6f32c9a8', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', 1, 'human', null, null, 'Ask them.', 0, 0, 'started', 'taken', 'turn_b6811ebb6b97b2b04a693194', null, 'chain_904e3d128b65ec677303f3a7', 0, 1794819611000, 1794819611000, null, null, null, 0, null, 0),
('mail_8b020dc758a990664a77c17f', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', 1, 'agent', 'ask', '29c9a18b130976ce35e454f15e3e7f5f', 'What is it?', 0, 0, 'started', 'taken', 'turn_aeb613d4f5175ebf813e8e70', 'call:call_faaa87688f3448925790da34', 'chain_904e3d128b65ec677303f3a7', 1, 1794819611000, 1794819611000, 'open', 'call_faaa87688f3448925790da34', 1794820211000, 0, '29c9', 0),
('mail_0b89c3ac90572d6acbecab9b', '{projectId}', 'ac00fa184a128b776028202f37a5c348', 1, 'human', null, null, 'Have them counted.', 0, 0, 'started', 'taken', 'turn_6c96b8b4432b62887f7200a8', null, 'chain_6645d0f118f7374eb9fa8570', 0, 1794819614000, 1794819614000, null, null, null, 0, null, 0),
('mail_ab905f04bf68c1ef1a6bdaf0', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', 1, 'agent', 'spawn', 'ac00fa184a128b776028202f37a5c348', 'Count them.', 0, 0, 'started', 'taken', 'turn_59f99935cf8e87411c5b6089', 'call:call_5a5ba9a3d967855e56218869', 'chain_6645d0f118f7374eb9fa8570', 1, 1794819614000, 1794819614000, null, null, null, 0, 'ac00', 0),
('mail_6fe9e65ae00447c1347e9c10', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', 1, 'human', null, null, 'Wait for the first.', 0, 0, 'started', 'taken', 'turn_36df8e5bbdaa3be3d917c201', null, 'chain_1bc081c64fa3659310bb21ed', 0, 1794819617000, 1794819617000, null, null, null, 0, null, 0),
('mail_6609fa9ed52d78fce991e74d', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', 1, 'agent', 'tasks', '9d771b55ef08dd4d3d20a57fca907d21', 'Rest.', 0, 0, 'started', 'taken', 'turn_7964148792a76c45f27b28fb', 'call:call_51a82b42dfdfd76bee9efd26', 'chain_1bc081c64fa3659310bb21ed', 1, 1794819617000, 1794819617000, null, null, null, 0, '9d77', 0),
('mail_03c0163206d93c07e77f4406', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', 1, 'agent', 'tasks', '9d771b55ef08dd4d3d20a57fca907d21', 'Rest.', 0, 0, 'started', 'taken', 'turn_92bc27158d7a81b41b57a4a1', 'call:call_aa8fe29511acec056f80fb32', 'chain_1bc081c64fa3659310bb21ed', 1, 1794819617000, 1794819617000, null, null, null, 0, '9d77', 0),
('mail_c2e5218eff4024bbab277160', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', 1, 'human', null, null, 'Get ready.', 0, 0, 'started', 'taken', 'turn_bfaed2cf2aa499d88a88673b', null, 'chain_f7ead8174f6eaeee2c6df5b7', 0, 1794819621000, 1794819620000, null, null, null, 0, null, 0),
('mail_b37af4fd1bedd270800240b6', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', 2, 'human', null, null, 'The first thing.', 0, 0, 'queued', 'queued', null, null, 'chain_97157322aa25ab0bbdb31bbf', 0, null, 1794819621000, null, null, null, 0, null, 0),
('mail_a99ff0fa4c5d5ef8e00cd0bc', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', 3, 'human', null, null, 'The second thing.', 1, 0, 'queued', 'queued', null, null, 'chain_9389730e4e7f1ca64e2efab6', 0, null, 1794819622000, null, null, null, 0, null, 0),
('mail_8d8d3fef602426e6cdd50eae', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', 1, 'human', null, null, 'Offer something.', 0, 0, 'started', 'taken', 'turn_85f27234a9b528e71fe03ae6', null, 'chain_033279503b4d6f3864157747', 0, 1794819624000, 1794819624000, null, null, null, 0, null, 0),
('mail_2ee34efc122dd0570baabf05', '{projectId}', '48c96ef803b87d220444cf888d3183d7', 1, 'human', null, null, 'Write the other file.', 0, 0, 'started', 'taken', 'turn_8c8d058c32a200e48276ec5a', null, 'chain_a4184a5cabbebcefe240ad42', 0, 1794819627000, 1794819627000, null, null, null, 0, null, 0),
('mail_e8a0ce6abf58697fba2b031d', '{projectId}', '62d37e28c66aada33958f37a969f6920', 1, 'human', null, null, 'Tell me when it is spring.', 0, 0, 'started', 'taken', 'turn_de4692391e262f99e6235ae8', null, 'chain_d6f1c8adb8e808c7aa368f01', 0, 1794819639000, 1794819637000, null, null, null, 0, null, 0),
('mail_2ad361ac7540a684783484dd', '{projectId}', '469b679cb414ec8050c4704991dc611b', 1, 'human', null, null, 'Write a poem.', 0, 0, 'started', 'taken', 'turn_3701d1490316c766919e5ccc', null, 'chain_9a1161593e19fe83329427a8', 0, 1794819640000, 1794819640000, null, null, null, 0, null, 0),
('mail_bd07fdad510c0834117c70a7', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', 1, 'human', null, null, 'Run it.', 0, 0, 'started', 'taken', 'turn_1321cfc0dd64042e51f89e53', null, 'chain_fb0d885fa91eb3990edc537b', 0, 1794819643000, 1794819643000, null, null, null, 0, null, 0);
insert into calls (id, session_id, turn_id, message_seq, position, name, input, vendor_call_id, state, kind, inbox_id, resolution, started_at, created_at, ref, ended_at, hidden) values
('call_d62c9bbd59503a2d7d2c9f8f', '110361e9c7f232c63fffac82f2856f40', 'turn_55dbc3ca49b513f8856b7d18', 2, 0, 'bash', '{"command":"touch approved.txt"}', 'call_100000000', 'parked', 'approval', 'inbox_6224126a93c923889a91d5ff', '{"changesRights":false,"bound":"{bound-approval}","always":["bash(touch approved.txt)"]}', null, 1794819602000, null, null, 0),
('call_cec03f664999f6d99e4cd8a1', '1dbf3a4b585ea95aedb465420687b8b7', 'turn_1b5b083bcff82a8b0abe9ef9', 2, 0, 'ask_human', '{"question":"Which one?","options":["red","blue"]}', 'call_200000000', 'parked', 'question', 'inbox_37db5d8924c14057c130c5a4', null, 1794819605000, 1794819605000, null, null, 0),
('call_bcb1bfb2f640fa7cde36f563', '12867d73224bab322cdd672fa6c9ee63', 'turn_33154f422d875a29f3d5b9a8', 2, 0, 'sleep', '{"seconds":300}', 'call_300000000', 'parked', 'timer', null, null, 1794819608000, 1794819608000, null, null, 0),
('call_faaa87688f3448925790da34', '29c9a18b130976ce35e454f15e3e7f5f', 'turn_b6811ebb6b97b2b04a693194', 2, 0, 'agent_message', '{"to":"asked","message":"What is it?","timeout":600}', 'call_400000000', 'parked', 'ask', null, '{"created":true}', 1794819611000, 1794819611000, 'mail_8b020dc758a990664a77c17f', null, 0),
('call_3e55cdab61e6fbef6e8325c0', 'c3f639db65b4d2c5199fe8c072ead5a8', 'turn_aeb613d4f5175ebf813e8e70', 2, 0, 'ask_human', '{"question":"May I tell?"}', 'call_500000000', 'parked', 'question', 'inbox_64eba33a8167dbd785c949ff', null, 1794819612000, 1794819612000, null, null, 0),
('call_5a5ba9a3d967855e56218869', 'ac00fa184a128b776028202f37a5c348', 'turn_6c96b8b4432b62887f7200a8', 2, 0, 'agent_spawn', '{"agent":"child","instruction":"Count them.","returnMode":"lastMessage"}', 'call_600000000', 'parked', 'spawn', null, '{"taskIds":["task_473338e3ef4e251353ffaafb"],"need":"all"}', 1794819614000, 1794819614000, null, null, 0),
('call_79b5a082eac9fd058d84d879', '2ac4c758930c07816a1c78cec7ef1deb', 'turn_59f99935cf8e87411c5b6089', 2, 0, 'ask_human', '{"question":"How many?"}', 'call_700000000', 'parked', 'question', 'inbox_cfdbb13a89209b39e5697a1c', null, 1794819615000, 1794819615000, null, null, 0),
('call_51a82b42dfdfd76bee9efd26', '9d771b55ef08dd4d3d20a57fca907d21', 'turn_36df8e5bbdaa3be3d917c201', 2, 0, 'agent_spawn', '{"agent":"napper","instruction":"Rest.","wait":false,"returnMode":"lastMessage"}', 'call_800000000', 'done', null, null, null, 1794819617000, 1794819617000, null, 1794819617000, 0),
('call_aa8fe29511acec056f80fb32', '9d771b55ef08dd4d3d20a57fca907d21', 'turn_36df8e5bbdaa3be3d917c201', 2, 1, 'agent_spawn', '{"agent":"sitter","instruction":"Rest.","wait":false,"returnMode":"lastMessage"}', 'call_900000000', 'done', null, null, null, 1794819617000, 1794819617000, null, 1794819617000, 0),
('call_df386cdba52b6536e3cce69b', '9d771b55ef08dd4d3d20a57fca907d21', 'turn_36df8e5bbdaa3be3d917c201', 5, 0, 'task_wait', '{"taskIds":["task_a374f0ec785eb18c9b4d1397","task_30a4f11c1810eb09d1193088"],"until":"any","timeout":3600}', 'call_a00000000', 'parked', 'tasks', null, '{"taskIds":["task_a374f0ec785eb18c9b4d1397","task_30a4f11c1810eb09d1193088"],"need":"any"}', 1794819617000, 1794819617000, null, null, 0),
('call_4f039115b8fe22f4da73058a', '22d58b0e543c3bc3f3ef6d3389a51095', 'turn_7964148792a76c45f27b28fb', 2, 0, 'sleep', '{"seconds":300}', 'call_b00000000', 'parked', 'timer', null, null, 1794819617000, 1794819617000, null, null, 0),
('call_d88d5fcd676cac7d0de135ce', 'c7c3feefcc7b04f9595bf0f8b1c072b0', 'turn_92bc27158d7a81b41b57a4a1', 2, 0, 'ask_human', '{"question":"Still there?"}', 'call_c00000000', 'parked', 'question', 'inbox_b5060ba34c3c9a3b746b244e', null, 1794819617000, 1794819617000, null, null, 0),
('call_d9be615035f42048c07fcc1c', 'ec888a05e44f65bf3605961c0984aeec', 'turn_85f27234a9b528e71fe03ae6', 2, 0, 'ask_human', '{"question":"Tea?"}', 'call_d00000000', 'resolved', 'question', 'inbox_00955fa635c5e5e1d64f2c51', '{"output":{"answer":"with milk"}}', 1794819624000, 1794819624000, null, null, 0),
('call_ce05204085734464dac23fac', '48c96ef803b87d220444cf888d3183d7', 'turn_8c8d058c32a200e48276ec5a', 2, 0, 'bash', '{"command":"touch allowed.txt"}', 'call_e00000000', 'ready', 'approval', 'inbox_e4e219b35414cc4474a06bfc', '{"changesRights":false,"bound":"{bound-allowed}","always":["bash(touch allowed.txt)"],"approved":"session"}', null, 1794819627000, null, null, 0),
('call_a007ba67ac7871a268f0811d', '62d37e28c66aada33958f37a969f6920', 'turn_de4692391e262f99e6235ae8', 2, 0, 'agent_send', '{"to":"human","message":"It is spring."}', 'call_f00000000', 'done', null, null, null, 1794819640000, 1794819640000, null, 1794819640000, 0),
('call_e56a5fc44b84c90a660af816', 'ef012895b9769cb77eb5a4aea3825e55', 'turn_1321cfc0dd64042e51f89e53', 2, 0, 'bash', '{"command":"echo begun; sleep 100"}', 'call_g00000000', 'started', null, null, null, 1794819644000, 1794819644000, null, null, 0);
insert into turns (id, session_id, started_at, ended_at, ended_as, reason, iterations, waiting_since, waited_ms, tokens_input, tokens_output, tokens_cached, tokens_reasoning, cost_usd, chain_id, hops, cause, total_cost_usd, unpriced_tokens) values
('turn_55dbc3ca49b513f8856b7d18', '110361e9c7f232c63fffac82f2856f40', 1794819602000, null, null, null, 1, 1794819602000, 0, 100, 20, 0, 0, 0, 'chain_5cd3c83c6d26041f2a17675e', 0, 'human', 0, 120),
('turn_1b5b083bcff82a8b0abe9ef9', '1dbf3a4b585ea95aedb465420687b8b7', 1794819605000, null, null, null, 1, 1794819605000, 0, 100, 20, 0, 0, 0, 'chain_4910081bc25e748bf8e3347b', 0, 'human', 0, 120),
('turn_33154f422d875a29f3d5b9a8', '12867d73224bab322cdd672fa6c9ee63', 1794819608000, null, null, null, 1, null, 0, 100, 20, 0, 0, 0, 'chain_6b9c4d183ec2fb649e7f8797', 0, 'human', 0, 120),
('turn_b6811ebb6b97b2b04a693194', '29c9a18b130976ce35e454f15e3e7f5f', 1794819611000, null, null, null, 1, null, 0, 100, 20, 0, 0, 0, 'chain_904e3d128b65ec677303f3a7', 0, 'human', 0, 120),
('turn_aeb613d4f5175ebf813e8e70', 'c3f639db65b4d2c5199fe8c072ead5a8', 1794819611000, null, null, null, 1, 1794819612000, 0, 100, 20, 0, 0, 0, 'chain_904e3d128b65ec677303f3a7', 1, 'agent', 0, 120),
('turn_6c96b8b4432b62887f7200a8', 'ac00fa184a128b776028202f37a5c348', 1794819614000, null, null, null, 1, 1794819614000, 0, 100, 20, 0, 0, 0, 'chain_6645d0f118f7374eb9fa8570', 0, 'human', 0, 120),
('turn_59f99935cf8e87411c5b6089', '2ac4c758930c07816a1c78cec7ef1deb', 1794819614000, null, null, null, 1, 1794819615000, 0, 100, 20, 0, 0, 0, 'chain_6645d0f118f7374eb9fa8570', 1, 'agent', 0, 120),
('turn_36df8e5bbdaa3be3d917c201', '9d771b55ef08dd4d3d20a57fca907d21', 1794819617000, null, null, null, 2, 1794819617000, 0, 200, 40, 0, 0, 0, 'chain_1bc081c64fa3659310bb21ed', 0, 'human', 0, 240),
('turn_7964148792a76c45f27b28fb', '22d58b0e543c3bc3f3ef6d3389a51095', 1794819617000, null, null, null, 1, null, 0, 100, 20, 0, 0, 0, 'chain_1bc081c64fa3659310bb21ed', 1, 'agent', 0, 120),
('turn_92bc27158d7a81b41b57a4a1', 'c7c3feefcc7b04f9595bf0f8b1c072b0', 1794819617000, null, null, null, 1, 1794819618000, 0, 100, 20, 0, 0, 0, 'chain_1bc081c64fa3659310bb21ed', 1, 'agent', 0, 120),
('turn_bfaed2cf2aa499d88a88673b', '32d226fbe215b48ca9cef58b67fd3a55', 1794819621000, null, null, null, 1, 1794819621000, 0, 100, 20, 0, 0, 0, 'chain_f7ead8174f6eaeee2c6df5b7', 0, 'human', 0, 120),
('turn_85f27234a9b528e71fe03ae6', 'ec888a05e44f65bf3605961c0984aeec', 1794819624000, null, null, null, 1, 1794819624000, 0, 100, 20, 0, 0, 0, 'chain_033279503b4d6f3864157747', 0, 'human', 0, 120),
('turn_8c8d058c32a200e48276ec5a', '48c96ef803b87d220444cf888d3183d7', 1794819627000, null, null, null, 1, 1794819627000, 0, 100, 20, 0, 0, 0, 'chain_a4184a5cabbebcefe240ad42', 0, 'human', 0, 120),
('turn_de4692391e262f99e6235ae8', '62d37e28c66aada33958f37a969f6920', 1794819639000, 1794819640000, 'done', 'The agent had nothing left to do.', 2, null, 0, 200, 40, 0, 0, 0, 'chain_d6f1c8adb8e808c7aa368f01', 0, 'human', 0, 240),
('turn_3701d1490316c766919e5ccc', '469b679cb414ec8050c4704991dc611b', 1794819640000, null, null, null, 1, null, 0, 0, 0, 0, 0, 0, 'chain_9a1161593e19fe83329427a8', 0, 'human', 0, 0),
('turn_1321cfc0dd64042e51f89e53', 'ef012895b9769cb77eb5a4aea3825e55', 1794819643000, null, null, null, 1, null, 0, 100, 20, 0, 0, 0, 'chain_fb0d885fa91eb3990edc537b', 0, 'human', 0, 120);
insert into inbox (id, project_id, session_id, call_id, kind, status, title, body, options, from_kind, from_agent, answer, answered_by, created_at, answered_at) values
('inbox_6224126a93c923889a91d5ff', '{projectId}', '110361e9c7f232c63fffac82f2856f40', 'call_d62c9bbd59503a2d7d2c9f8f', 'approval', 'open', 'approval wants to use bash', 'bash in {project}
command: touch approved.txt
Asked because no rule allows "touch approved.txt", and commands are asked for by default.', null, 'agent', 'approval', null, null, 1794819602000, null),
('inbox_37db5d8924c14057c130c5a4', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', 'call_cec03f664999f6d99e4cd8a1', 'question', 'open', 'Which one?', 'Which one?', '["red","blue"]', 'agent', 'question', null, null, 1794819605000, null),
('inbox_64eba33a8167dbd785c949ff', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', 'call_3e55cdab61e6fbef6e8325c0', 'question', 'open', 'May I tell?', 'May I tell?', null, 'agent', 'asked', null, null, 1794819612000, null),
('inbox_cfdbb13a89209b39e5697a1c', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', 'call_79b5a082eac9fd058d84d879', 'question', 'open', 'How many?', 'How many?', null, 'agent', 'child', null, null, 1794819615000, null),
('inbox_b5060ba34c3c9a3b746b244e', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', 'call_d88d5fcd676cac7d0de135ce', 'question', 'open', 'Still there?', 'Still there?', null, 'agent', 'sitter', null, null, 1794819618000, null),
('inbox_00955fa635c5e5e1d64f2c51', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', 'call_d9be615035f42048c07fcc1c', 'question', 'answered', 'Tea?', 'Tea?', null, 'agent', 'answered', '{"answer":"with milk"}', 'human', 1794819624000, 1794819630000),
('inbox_e4e219b35414cc4474a06bfc', '{projectId}', '48c96ef803b87d220444cf888d3183d7', 'call_ce05204085734464dac23fac', 'approval', 'answered', 'allowed wants to use bash', 'bash in {project}
command: touch allowed.txt
Asked because no rule allows "touch allowed.txt", and commands are asked for by default.', null, 'agent', 'allowed', '{"decision":"session"}', 'human', 1794819627000, 1794819629000),
('inbox_call_call_a007ba67ac7871a268f0811d', '{projectId}', '62d37e28c66aada33958f37a969f6920', null, 'message', 'open', 'news 62d3: It is spring.', 'It is spring.', null, 'agent', 'news', null, null, 1794819640000, null);
insert into events (at, type, project_id, session_id, data, task_id) values
(1794819601000, 'session.created', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"agent":"approval","mode":"chat","title":"approval","handle":"1103"}', null),
(1794819602000, 'mail.accepted', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"mailId":"mail_8498d111b6ad2b33ff50d206","outcome":"started","from":"human"}', null),
(1794819602000, 'turn.started', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"turnId":"turn_55dbc3ca49b513f8856b7d18","attempt":1}', null),
(1794819602000, 'mail.taken', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"mailId":"mail_8498d111b6ad2b33ff50d206","turnId":"turn_55dbc3ca49b513f8856b7d18"}', null),
(1794819602000, 'message.appended', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"messageId":"msg_110361e9c7f232c63fffac82f2856f40_1","seq":1,"role":"user","snippet":"Write the file.","turnId":"turn_55dbc3ca49b513f8856b7d18"}', null),
(1794819602000, 'model.called', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"turnId":"turn_55dbc3ca49b513f8856b7d18","model":"lab/approval","iteration":1}', null),
(1794819602000, 'session.status', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"from":"idle","to":"running"}', null),
(1794819602000, 'message.appended', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"messageId":"msg_110361e9c7f232c63fffac82f2856f40_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_55dbc3ca49b513f8856b7d18","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819602000, 'inbox.added', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"inboxId":"inbox_6224126a93c923889a91d5ff","kind":"approval","title":"approval wants to use bash"}', null),
(1794819602000, 'call.parked', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"callId":"call_d62c9bbd59503a2d7d2c9f8f","name":"bash","kind":"approval","inboxId":"inbox_6224126a93c923889a91d5ff"}', null),
(1794819602000, 'session.status', '{projectId}', '110361e9c7f232c63fffac82f2856f40', '{"from":"running","to":"waiting","reason":"Waiting for bash (approval)."}', null),
(1794819604000, 'session.created', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"agent":"question","mode":"chat","title":"question","handle":"1dbf"}', null),
(1794819605000, 'mail.accepted', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"mailId":"mail_6614229ba57e16a3e9e18be3","outcome":"started","from":"human"}', null),
(1794819605000, 'turn.started', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"turnId":"turn_1b5b083bcff82a8b0abe9ef9","attempt":1}', null),
(1794819605000, 'mail.taken', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"mailId":"mail_6614229ba57e16a3e9e18be3","turnId":"turn_1b5b083bcff82a8b0abe9ef9"}', null),
(1794819605000, 'message.appended', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"messageId":"msg_1dbf3a4b585ea95aedb465420687b8b7_1","seq":1,"role":"user","snippet":"Paint it.","turnId":"turn_1b5b083bcff82a8b0abe9ef9"}', null),
(1794819605000, 'model.called', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"turnId":"turn_1b5b083bcff82a8b0abe9ef9","model":"lab/question","iteration":1}', null),
(1794819605000, 'session.status', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"from":"idle","to":"running"}', null),
(1794819605000, 'message.appended', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"messageId":"msg_1dbf3a4b585ea95aedb465420687b8b7_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_1b5b083bcff82a8b0abe9ef9","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819605000, 'tool.started', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"callId":"call_cec03f664999f6d99e4cd8a1","name":"ask_human","preview":"{\"question\":\"Which one?\",\"options\":[\"red\",\"blue\"]}"}', null),
(1794819605000, 'call.parked', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"callId":"call_cec03f664999f6d99e4cd8a1","name":"ask_human","kind":"question","inboxId":"inbox_37db5d8924c14057c130c5a4"}', null),
(1794819605000, 'inbox.added', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"inboxId":"inbox_37db5d8924c14057c130c5a4","kind":"question","title":"Which one?"}', null),
(1794819605000, 'session.status', '{projectId}', '1dbf3a4b585ea95aedb465420687b8b7', '{"from":"running","to":"waiting","reason":"Waiting for ask_human (question)."}', null),
(1794819607000, 'session.created', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"agent":"timer","mode":"chat","title":"timer","handle":"1286"}', null),
(1794819608000, 'mail.accepted', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"mailId":"mail_dd389e1b2557914228239607","outcome":"started","from":"human"}', null),
(1794819608000, 'turn.started', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"turnId":"turn_33154f422d875a29f3d5b9a8","attempt":1}', null),
(1794819608000, 'mail.taken', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"mailId":"mail_dd389e1b2557914228239607","turnId":"turn_33154f422d875a29f3d5b9a8"}', null),
(1794819608000, 'message.appended', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"messageId":"msg_12867d73224bab322cdd672fa6c9ee63_1","seq":1,"role":"user","snippet":"Wait a little.","turnId":"turn_33154f422d875a29f3d5b9a8"}', null),
(1794819608000, 'model.called', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"turnId":"turn_33154f422d875a29f3d5b9a8","model":"lab/timer","iteration":1}', null),
(1794819608000, 'session.status', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"from":"idle","to":"running"}', null),
(1794819608000, 'message.appended', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"messageId":"msg_12867d73224bab322cdd672fa6c9ee63_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_33154f422d875a29f3d5b9a8","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819608000, 'tool.started', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"callId":"call_bcb1bfb2f640fa7cde36f563","name":"sleep","preview":"{\"seconds\":300}"}', null),
(1794819608000, 'call.parked', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"callId":"call_bcb1bfb2f640fa7cde36f563","name":"sleep","kind":"timer"}', null),
(1794819608000, 'session.status', '{projectId}', '12867d73224bab322cdd672fa6c9ee63', '{"from":"running","to":"waiting","reason":"Waiting for sleep (timer)."}', null),
(1794819610000, 'session.created', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"agent":"ask","mode":"chat","title":"ask","handle":"29c9"}', null),
(1794819611000, 'mail.accepted', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"mailId":"mail_b3d04bac786e2ecd6f32c9a8","outcome":"started","from":"human"}', null),
(1794819611000, 'turn.started', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"turnId":"turn_b6811ebb6b97b2b04a693194","attempt":1}', null),
(1794819611000, 'mail.taken', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"mailId":"mail_b3d04bac786e2ecd6f32c9a8","turnId":"turn_b6811ebb6b97b2b04a693194"}', null),
(1794819611000, 'message.appended', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"messageId":"msg_29c9a18b130976ce35e454f15e3e7f5f_1","seq":1,"role":"user","snippet":"Ask them.","turnId":"turn_b6811ebb6b97b2b04a693194"}', null),
(1794819611000, 'model.called', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"turnId":"turn_b6811ebb6b97b2b04a693194","model":"lab/ask","iteration":1}', null),
(1794819611000, 'session.status', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"from":"idle","to":"running"}', null),
(1794819611000, 'message.appended', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"messageId":"msg_29c9a18b130976ce35e454f15e3e7f5f_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_b6811ebb6b97b2b04a693194","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819611000, 'tool.started', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"callId":"call_faaa87688f3448925790da34","name":"agent_message","preview":"{\"to\":\"asked\",\"message\":\"What is it?\",\"timeout\":600}"}', null),
(1794819611000, 'session.created', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"agent":"asked","mode":"chat","title":"","handle":"c3f6"}', null),
(1794819611000, 'session.updated', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"changed":{"title":"What is it?"}}', null),
(1794819611000, 'mail.accepted', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"mailId":"mail_8b020dc758a990664a77c17f","outcome":"started","from":"agent"}', null),
(1794819611000, 'call.parked', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"callId":"call_faaa87688f3448925790da34","name":"agent_message","kind":"ask"}', null),
(1794819611000, 'session.status', '{projectId}', '29c9a18b130976ce35e454f15e3e7f5f', '{"from":"running","to":"waiting","reason":"Waiting for agent_message (ask)."}', null),
(1794819611000, 'turn.started', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"turnId":"turn_aeb613d4f5175ebf813e8e70","attempt":1}', null),
(1794819611000, 'mail.taken', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"mailId":"mail_8b020dc758a990664a77c17f","turnId":"turn_aeb613d4f5175ebf813e8e70"}', null),
(1794819611000, 'message.appended', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"messageId":"msg_c3f639db65b4d2c5199fe8c072ead5a8_1","seq":1,"role":"user","snippet":"What is it?","turnId":"turn_aeb613d4f5175ebf813e8e70"}', null),
(1794819611000, 'model.called', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"turnId":"turn_aeb613d4f5175ebf813e8e70","model":"lab/asked","iteration":1}', null),
(1794819611000, 'session.status', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"from":"idle","to":"running"}', null),
(1794819612000, 'message.appended', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"messageId":"msg_c3f639db65b4d2c5199fe8c072ead5a8_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_aeb613d4f5175ebf813e8e70","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819612000, 'tool.started', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"callId":"call_3e55cdab61e6fbef6e8325c0","name":"ask_human","preview":"{\"question\":\"May I tell?\"}"}', null),
(1794819612000, 'call.parked', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"callId":"call_3e55cdab61e6fbef6e8325c0","name":"ask_human","kind":"question","inboxId":"inbox_64eba33a8167dbd785c949ff"}', null),
(1794819612000, 'inbox.added', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"inboxId":"inbox_64eba33a8167dbd785c949ff","kind":"question","title":"May I tell?"}', null),
(1794819612000, 'session.status', '{projectId}', 'c3f639db65b4d2c5199fe8c072ead5a8', '{"from":"running","to":"waiting","reason":"Waiting for ask_human (question)."}', null),
(1794819613000, 'session.created', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"agent":"spawn","mode":"chat","title":"spawn","handle":"ac00"}', null),
(1794819614000, 'mail.accepted', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"mailId":"mail_0b89c3ac90572d6acbecab9b","outcome":"started","from":"human"}', null),
(1794819614000, 'turn.started', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"turnId":"turn_6c96b8b4432b62887f7200a8","attempt":1}', null),
(1794819614000, 'mail.taken', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"mailId":"mail_0b89c3ac90572d6acbecab9b","turnId":"turn_6c96b8b4432b62887f7200a8"}', null),
(1794819614000, 'message.appended', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"messageId":"msg_ac00fa184a128b776028202f37a5c348_1","seq":1,"role":"user","snippet":"Have them counted.","turnId":"turn_6c96b8b4432b62887f7200a8"}', null),
(1794819614000, 'model.called', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"turnId":"turn_6c96b8b4432b62887f7200a8","model":"lab/spawn","iteration":1}', null),
(1794819614000, 'session.status', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"from":"idle","to":"running"}', null),
(1794819614000, 'message.appended', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"messageId":"msg_ac00fa184a128b776028202f37a5c348_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_6c96b8b4432b62887f7200a8","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819614000, 'tool.started', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"callId":"call_5a5ba9a3d967855e56218869","name":"agent_spawn","preview":"{\"agent\":\"child\",\"instruction\":\"Count them.\",\"returnMode\":\"lastMessage\"}"}', null),
(1794819614000, 'session.created', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"agent":"child","mode":"subagent","title":"Count them.","handle":"2ac4"}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'task.created', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"taskId":"task_473338e3ef4e251353ffaafb","agent":"child","parentSessionId":"ac00fa184a128b776028202f37a5c348"}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'task.started', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"taskId":"task_473338e3ef4e251353ffaafb"}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'mail.accepted', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"mailId":"mail_ab905f04bf68c1ef1a6bdaf0","outcome":"started","from":"agent"}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'call.parked', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"callId":"call_5a5ba9a3d967855e56218869","name":"agent_spawn","kind":"spawn"}', null),
(1794819614000, 'session.status', '{projectId}', 'ac00fa184a128b776028202f37a5c348', '{"from":"running","to":"waiting","reason":"Waiting for agent_spawn (spawn)."}', null),
(1794819614000, 'turn.started', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"turnId":"turn_59f99935cf8e87411c5b6089","attempt":1}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'mail.taken', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"mailId":"mail_ab905f04bf68c1ef1a6bdaf0","turnId":"turn_59f99935cf8e87411c5b6089"}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'message.appended', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"messageId":"msg_2ac4c758930c07816a1c78cec7ef1deb_1","seq":1,"role":"user","snippet":"Count them.","turnId":"turn_59f99935cf8e87411c5b6089"}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'model.called', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"turnId":"turn_59f99935cf8e87411c5b6089","model":"lab/child","iteration":1}', 'task_473338e3ef4e251353ffaafb'),
(1794819614000, 'session.status', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"from":"idle","to":"running"}', 'task_473338e3ef4e251353ffaafb'),
(1794819615000, 'message.appended', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"messageId":"msg_2ac4c758930c07816a1c78cec7ef1deb_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_59f99935cf8e87411c5b6089","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', 'task_473338e3ef4e251353ffaafb'),
(1794819615000, 'tool.started', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"callId":"call_79b5a082eac9fd058d84d879","name":"ask_human","preview":"{\"question\":\"How many?\"}"}', 'task_473338e3ef4e251353ffaafb'),
(1794819615000, 'call.parked', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"callId":"call_79b5a082eac9fd058d84d879","name":"ask_human","kind":"question","inboxId":"inbox_cfdbb13a89209b39e5697a1c"}', 'task_473338e3ef4e251353ffaafb'),
(1794819615000, 'inbox.added', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"inboxId":"inbox_cfdbb13a89209b39e5697a1c","kind":"question","title":"How many?"}', 'task_473338e3ef4e251353ffaafb'),
(1794819615000, 'task.waiting', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"taskId":"task_473338e3ef4e251353ffaafb","reason":"Waiting for ask_human (question)."}', 'task_473338e3ef4e251353ffaafb'),
(1794819615000, 'session.status', '{projectId}', '2ac4c758930c07816a1c78cec7ef1deb', '{"from":"running","to":"waiting","reason":"Waiting for ask_human (question)."}', 'task_473338e3ef4e251353ffaafb'),
(1794819616000, 'session.created', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"agent":"tasks","mode":"chat","title":"tasks","handle":"9d77"}', null),
(1794819617000, 'mail.accepted', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"mailId":"mail_6fe9e65ae00447c1347e9c10","outcome":"started","from":"human"}', null),
(1794819617000, 'turn.started', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"turnId":"turn_36df8e5bbdaa3be3d917c201","attempt":1}', null),
(1794819617000, 'mail.taken', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"mailId":"mail_6fe9e65ae00447c1347e9c10","turnId":"turn_36df8e5bbdaa3be3d917c201"}', null),
(1794819617000, 'message.appended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"messageId":"msg_9d771b55ef08dd4d3d20a57fca907d21_1","seq":1,"role":"user","snippet":"Wait for the first.","turnId":"turn_36df8e5bbdaa3be3d917c201"}', null),
(1794819617000, 'model.called', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"turnId":"turn_36df8e5bbdaa3be3d917c201","model":"lab/tasks","iteration":1}', null),
(1794819617000, 'session.status', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"from":"idle","to":"running"}', null),
(1794819617000, 'message.appended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"messageId":"msg_9d771b55ef08dd4d3d20a57fca907d21_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_36df8e5bbdaa3be3d917c201","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819617000, 'tool.started', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"callId":"call_51a82b42dfdfd76bee9efd26","name":"agent_spawn","preview":"{\"agent\":\"napper\",\"instruction\":\"Rest.\",\"wait\":false,\"returnMode\":\"lastMessage\"}"}', null),
(1794819617000, 'tool.started', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"callId":"call_aa8fe29511acec056f80fb32","name":"agent_spawn","preview":"{\"agent\":\"sitter\",\"instruction\":\"Rest.\",\"wait\":false,\"returnMode\":\"lastMessage\"}"}', null),
(1794819617000, 'session.created', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"agent":"napper","mode":"subagent","title":"Rest.","handle":"22d5"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'task.created', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"taskId":"task_a374f0ec785eb18c9b4d1397","agent":"napper","parentSessionId":"9d771b55ef08dd4d3d20a57fca907d21"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'task.started', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"taskId":"task_a374f0ec785eb18c9b4d1397"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'mail.accepted', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"mailId":"mail_6609fa9ed52d78fce991e74d","outcome":"started","from":"agent"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'session.created', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"agent":"sitter","mode":"subagent","title":"Rest.","handle":"c7c3"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'task.created', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"taskId":"task_30a4f11c1810eb09d1193088","agent":"sitter","parentSessionId":"9d771b55ef08dd4d3d20a57fca907d21"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'task.started', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"taskId":"task_30a4f11c1810eb09d1193088"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'mail.accepted', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"mailId":"mail_03c0163206d93c07e77f4406","outcome":"started","from":"agent"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'tool.ended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"callId":"call_51a82b42dfdfd76bee9efd26","name":"agent_spawn","durationMs":27,"ok":true,"preview":"{\"taskId\":\"task_a374f0ec785eb18c9b4d1397\",\"session\":\"22d5\",\"status\":\"processing\"}"}', null),
(1794819617000, 'message.appended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"messageId":"msg_9d771b55ef08dd4d3d20a57fca907d21_3","seq":3,"role":"tool","snippet":"","turnId":"turn_36df8e5bbdaa3be3d917c201"}', null),
(1794819617000, 'tool.ended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"callId":"call_aa8fe29511acec056f80fb32","name":"agent_spawn","durationMs":27,"ok":true,"preview":"{\"taskId\":\"task_30a4f11c1810eb09d1193088\",\"session\":\"c7c3\",\"status\":\"processing\"}"}', null),
(1794819617000, 'message.appended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"messageId":"msg_9d771b55ef08dd4d3d20a57fca907d21_4","seq":4,"role":"tool","snippet":"","turnId":"turn_36df8e5bbdaa3be3d917c201"}', null),
(1794819617000, 'model.called', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"turnId":"turn_36df8e5bbdaa3be3d917c201","model":"lab/tasks","iteration":2}', null),
(1794819617000, 'turn.started', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"turnId":"turn_7964148792a76c45f27b28fb","attempt":1}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'mail.taken', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"mailId":"mail_6609fa9ed52d78fce991e74d","turnId":"turn_7964148792a76c45f27b28fb"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'message.appended', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"messageId":"msg_22d58b0e543c3bc3f3ef6d3389a51095_1","seq":1,"role":"user","snippet":"Rest.","turnId":"turn_7964148792a76c45f27b28fb"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'model.called', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"turnId":"turn_7964148792a76c45f27b28fb","model":"lab/napper","iteration":1}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'session.status', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"from":"idle","to":"running"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'turn.started', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"turnId":"turn_92bc27158d7a81b41b57a4a1","attempt":1}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'mail.taken', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"mailId":"mail_03c0163206d93c07e77f4406","turnId":"turn_92bc27158d7a81b41b57a4a1"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'message.appended', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"messageId":"msg_c7c3feefcc7b04f9595bf0f8b1c072b0_1","seq":1,"role":"user","snippet":"Rest.","turnId":"turn_92bc27158d7a81b41b57a4a1"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'model.called', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"turnId":"turn_92bc27158d7a81b41b57a4a1","model":"lab/sitter","iteration":1}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'session.status', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"from":"idle","to":"running"}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'message.appended', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"messageId":"msg_9d771b55ef08dd4d3d20a57fca907d21_5","seq":5,"role":"assistant","snippet":"","turnId":"turn_36df8e5bbdaa3be3d917c201","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819617000, 'tool.started', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"callId":"call_df386cdba52b6536e3cce69b","name":"task_wait","preview":"{\"taskIds\":[\"task_a374f0ec785eb18c9b4d1397\",\"task_30a4f11c1810eb09d1193088\"],\"until\":\"any\",\"timeout\":3600}"}', null),
(1794819617000, 'call.parked', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"callId":"call_df386cdba52b6536e3cce69b","name":"task_wait","kind":"tasks"}', null),
(1794819617000, 'session.status', '{projectId}', '9d771b55ef08dd4d3d20a57fca907d21', '{"from":"running","to":"waiting","reason":"Waiting for task_wait (tasks)."}', null),
(1794819617000, 'message.appended', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"messageId":"msg_22d58b0e543c3bc3f3ef6d3389a51095_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_7964148792a76c45f27b28fb","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'tool.started', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"callId":"call_4f039115b8fe22f4da73058a","name":"sleep","preview":"{\"seconds\":300}"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'call.parked', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"callId":"call_4f039115b8fe22f4da73058a","name":"sleep","kind":"timer"}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'task.waiting', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"taskId":"task_a374f0ec785eb18c9b4d1397","reason":"Waiting for sleep (timer)."}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'session.status', '{projectId}', '22d58b0e543c3bc3f3ef6d3389a51095', '{"from":"running","to":"waiting","reason":"Waiting for sleep (timer)."}', 'task_a374f0ec785eb18c9b4d1397'),
(1794819617000, 'message.appended', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"messageId":"msg_c7c3feefcc7b04f9595bf0f8b1c072b0_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_92bc27158d7a81b41b57a4a1","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', 'task_30a4f11c1810eb09d1193088'),
(1794819617000, 'tool.started', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"callId":"call_d88d5fcd676cac7d0de135ce","name":"ask_human","preview":"{\"question\":\"Still there?\"}"}', 'task_30a4f11c1810eb09d1193088'),
(1794819618000, 'call.parked', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"callId":"call_d88d5fcd676cac7d0de135ce","name":"ask_human","kind":"question","inboxId":"inbox_b5060ba34c3c9a3b746b244e"}', 'task_30a4f11c1810eb09d1193088'),
(1794819618000, 'inbox.added', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"inboxId":"inbox_b5060ba34c3c9a3b746b244e","kind":"question","title":"Still there?"}', 'task_30a4f11c1810eb09d1193088'),
(1794819618000, 'task.waiting', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"taskId":"task_30a4f11c1810eb09d1193088","reason":"Waiting for ask_human (question)."}', 'task_30a4f11c1810eb09d1193088'),
(1794819618000, 'session.status', '{projectId}', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '{"from":"running","to":"waiting","reason":"Waiting for ask_human (question)."}', 'task_30a4f11c1810eb09d1193088'),
(1794819619000, 'session.created', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"agent":"mail","mode":"chat","title":"mail","handle":"32d2"}', null),
(1794819620000, 'mail.accepted', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"mailId":"mail_c2e5218eff4024bbab277160","outcome":"started","from":"human"}', null),
(1794819621000, 'turn.started', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"turnId":"turn_bfaed2cf2aa499d88a88673b","attempt":1}', null),
(1794819621000, 'mail.taken', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"mailId":"mail_c2e5218eff4024bbab277160","turnId":"turn_bfaed2cf2aa499d88a88673b"}', null),
(1794819621000, 'message.appended', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"messageId":"msg_32d226fbe215b48ca9cef58b67fd3a55_1","seq":1,"role":"user","snippet":"Get ready.","turnId":"turn_bfaed2cf2aa499d88a88673b"}', null),
(1794819621000, 'model.called', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"turnId":"turn_bfaed2cf2aa499d88a88673b","model":"lab/mail","iteration":1}', null),
(1794819621000, 'session.status', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"from":"idle","to":"running"}', null),
(1794819621000, 'message.appended', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"messageId":"msg_32d226fbe215b48ca9cef58b67fd3a55_2","seq":2,"role":"assistant","snippet":"Ready.","turnId":"turn_bfaed2cf2aa499d88a88673b","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819621000, 'session.status', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"from":"running","to":"paused","reason":"Paused by a person."}', null),
(1794819621000, 'mail.accepted', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"mailId":"mail_b37af4fd1bedd270800240b6","outcome":"queued","from":"human"}', null),
(1794819622000, 'mail.accepted', '{projectId}', '32d226fbe215b48ca9cef58b67fd3a55', '{"mailId":"mail_a99ff0fa4c5d5ef8e00cd0bc","outcome":"queued","from":"human"}', null),
(1794819623000, 'session.created', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"agent":"answered","mode":"chat","title":"answered","handle":"ec88"}', null),
(1794819624000, 'mail.accepted', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"mailId":"mail_8d8d3fef602426e6cdd50eae","outcome":"started","from":"human"}', null),
(1794819624000, 'turn.started', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"turnId":"turn_85f27234a9b528e71fe03ae6","attempt":1}', null),
(1794819624000, 'mail.taken', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"mailId":"mail_8d8d3fef602426e6cdd50eae","turnId":"turn_85f27234a9b528e71fe03ae6"}', null),
(1794819624000, 'message.appended', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"messageId":"msg_ec888a05e44f65bf3605961c0984aeec_1","seq":1,"role":"user","snippet":"Offer something.","turnId":"turn_85f27234a9b528e71fe03ae6"}', null),
(1794819624000, 'model.called', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"turnId":"turn_85f27234a9b528e71fe03ae6","model":"lab/answered","iteration":1}', null),
(1794819624000, 'session.status', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"from":"idle","to":"running"}', null),
(1794819624000, 'message.appended', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"messageId":"msg_ec888a05e44f65bf3605961c0984aeec_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_85f27234a9b528e71fe03ae6","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819624000, 'tool.started', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"callId":"call_d9be615035f42048c07fcc1c","name":"ask_human","preview":"{\"question\":\"Tea?\"}"}', null),
(1794819624000, 'call.parked', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"callId":"call_d9be615035f42048c07fcc1c","name":"ask_human","kind":"question","inboxId":"inbox_00955fa635c5e5e1d64f2c51"}', null),
(1794819624000, 'inbox.added', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"inboxId":"inbox_00955fa635c5e5e1d64f2c51","kind":"question","title":"Tea?"}', null),
(1794819624000, 'session.status', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"from":"running","to":"waiting","reason":"Waiting for ask_human (question)."}', null),
(1794819625000, 'session.status', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"from":"waiting","to":"paused","reason":"Paused by a person."}', null),
(1794819626000, 'session.created', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"agent":"allowed","mode":"chat","title":"allowed","handle":"48c9"}', null),
(1794819627000, 'mail.accepted', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"mailId":"mail_2ee34efc122dd0570baabf05","outcome":"started","from":"human"}', null),
(1794819627000, 'turn.started', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"turnId":"turn_8c8d058c32a200e48276ec5a","attempt":1}', null),
(1794819627000, 'mail.taken', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"mailId":"mail_2ee34efc122dd0570baabf05","turnId":"turn_8c8d058c32a200e48276ec5a"}', null),
(1794819627000, 'message.appended', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"messageId":"msg_48c96ef803b87d220444cf888d3183d7_1","seq":1,"role":"user","snippet":"Write the other file.","turnId":"turn_8c8d058c32a200e48276ec5a"}', null),
(1794819627000, 'model.called', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"turnId":"turn_8c8d058c32a200e48276ec5a","model":"lab/allowed","iteration":1}', null),
(1794819627000, 'session.status', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"from":"idle","to":"running"}', null),
(1794819627000, 'message.appended', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"messageId":"msg_48c96ef803b87d220444cf888d3183d7_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_8c8d058c32a200e48276ec5a","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819627000, 'inbox.added', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"inboxId":"inbox_e4e219b35414cc4474a06bfc","kind":"approval","title":"allowed wants to use bash"}', null),
(1794819627000, 'call.parked', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"callId":"call_ce05204085734464dac23fac","name":"bash","kind":"approval","inboxId":"inbox_e4e219b35414cc4474a06bfc"}', null),
(1794819627000, 'session.status', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"from":"running","to":"waiting","reason":"Waiting for bash (approval)."}', null),
(1794819628000, 'session.status', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"from":"waiting","to":"paused","reason":"Paused by a person."}', null),
(1794819629000, 'call.resumed', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"callId":"call_ce05204085734464dac23fac","name":"","how":"approved (session)"}', null),
(1794819629000, 'inbox.answered', '{projectId}', '48c96ef803b87d220444cf888d3183d7', '{"inboxId":"inbox_e4e219b35414cc4474a06bfc","by":"human"}', null),
(1794819630000, 'call.resumed', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"callId":"call_d9be615035f42048c07fcc1c","name":"","how":"answered"}', null),
(1794819630000, 'inbox.answered', '{projectId}', 'ec888a05e44f65bf3605961c0984aeec', '{"inboxId":"inbox_00955fa635c5e5e1d64f2c51","by":"human"}', null),
(1794819636000, 'session.created', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"agent":"news","mode":"chat","title":"news","handle":"62d3"}', null),
(1794819637000, 'mail.accepted', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"mailId":"mail_e8a0ce6abf58697fba2b031d","outcome":"started","from":"human"}', null),
(1794819639000, 'turn.started', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"turnId":"turn_de4692391e262f99e6235ae8","attempt":1}', null),
(1794819639000, 'mail.taken', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"mailId":"mail_e8a0ce6abf58697fba2b031d","turnId":"turn_de4692391e262f99e6235ae8"}', null),
(1794819639000, 'message.appended', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"messageId":"msg_62d37e28c66aada33958f37a969f6920_1","seq":1,"role":"user","snippet":"Tell me when it is spring.","turnId":"turn_de4692391e262f99e6235ae8"}', null),
(1794819639000, 'model.called', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"turnId":"turn_de4692391e262f99e6235ae8","model":"lab/news","iteration":1}', null),
(1794819639000, 'session.status', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"from":"idle","to":"running"}', null),
(1794819639000, 'session.created', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"agent":"writing","mode":"chat","title":"writing","handle":"469b"}', null),
(1794819640000, 'message.appended', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"messageId":"msg_62d37e28c66aada33958f37a969f6920_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_de4692391e262f99e6235ae8","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819640000, 'tool.started', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"callId":"call_a007ba67ac7871a268f0811d","name":"agent_send","preview":"{\"to\":\"human\",\"message\":\"It is spring.\"}"}', null),
(1794819640000, 'inbox.added', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"inboxId":"inbox_call_call_a007ba67ac7871a268f0811d","kind":"message","title":"news 62d3: It is spring."}', null),
(1794819640000, 'mail.accepted', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"mailId":"mail_2ad361ac7540a684783484dd","outcome":"started","from":"human"}', null),
(1794819640000, 'tool.ended', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"callId":"call_a007ba67ac7871a268f0811d","name":"agent_send","durationMs":7,"ok":true,"preview":"{\"inboxId\":\"inbox_call_call_a007ba67ac7871a268f0811d\",\"outcome\":\"in the inbox of the person\"}"}', null),
(1794819640000, 'message.appended', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"messageId":"msg_62d37e28c66aada33958f37a969f6920_3","seq":3,"role":"tool","snippet":"","turnId":"turn_de4692391e262f99e6235ae8"}', null),
(1794819640000, 'model.called', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"turnId":"turn_de4692391e262f99e6235ae8","model":"lab/news","iteration":2}', null),
(1794819640000, 'turn.started', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"turnId":"turn_3701d1490316c766919e5ccc","attempt":1}', null),
(1794819640000, 'mail.taken', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"mailId":"mail_2ad361ac7540a684783484dd","turnId":"turn_3701d1490316c766919e5ccc"}', null),
(1794819640000, 'message.appended', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"messageId":"msg_469b679cb414ec8050c4704991dc611b_1","seq":1,"role":"user","snippet":"Write a poem.","turnId":"turn_3701d1490316c766919e5ccc"}', null),
(1794819640000, 'model.called', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"turnId":"turn_3701d1490316c766919e5ccc","model":"lab/writing","iteration":1}', null),
(1794819640000, 'session.status', '{projectId}', '469b679cb414ec8050c4704991dc611b', '{"from":"idle","to":"running"}', null),
(1794819640000, 'message.appended', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"messageId":"msg_62d37e28c66aada33958f37a969f6920_4","seq":4,"role":"assistant","snippet":"Told.","turnId":"turn_de4692391e262f99e6235ae8","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819640000, 'turn.ended', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"turnId":"turn_de4692391e262f99e6235ae8","end":"done","reason":"The agent had nothing left to do.","iterations":2,"durationMs":1000,"tokens":{"input":200,"output":40,"cached":0,"reasoning":0},"costUsd":0,"totalCostUsd":0,"unpricedTokens":240}', null),
(1794819640000, 'session.status', '{projectId}', '62d37e28c66aada33958f37a969f6920', '{"from":"running","to":"idle"}', null),
(1794819642000, 'session.created', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"agent":"command","mode":"chat","title":"command","handle":"ef01"}', null),
(1794819643000, 'mail.accepted', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"mailId":"mail_bd07fdad510c0834117c70a7","outcome":"started","from":"human"}', null),
(1794819643000, 'turn.started', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"turnId":"turn_1321cfc0dd64042e51f89e53","attempt":1}', null),
(1794819643000, 'mail.taken', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"mailId":"mail_bd07fdad510c0834117c70a7","turnId":"turn_1321cfc0dd64042e51f89e53"}', null),
(1794819643000, 'message.appended', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"messageId":"msg_ef012895b9769cb77eb5a4aea3825e55_1","seq":1,"role":"user","snippet":"Run it.","turnId":"turn_1321cfc0dd64042e51f89e53"}', null),
(1794819643000, 'model.called', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"turnId":"turn_1321cfc0dd64042e51f89e53","model":"lab/command","iteration":1}', null),
(1794819643000, 'session.status', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"from":"idle","to":"running"}', null),
(1794819644000, 'message.appended', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"messageId":"msg_ef012895b9769cb77eb5a4aea3825e55_2","seq":2,"role":"assistant","snippet":"","turnId":"turn_1321cfc0dd64042e51f89e53","tokens":{"input":100,"output":20,"cached":0,"reasoning":0}}', null),
(1794819644000, 'tool.started', '{projectId}', 'ef012895b9769cb77eb5a4aea3825e55', '{"callId":"call_e56a5fc44b84c90a660af816","name":"bash","preview":"{\"command\":\"echo begun; sleep 100\"}"}', null);
insert into timers (id, due_at, kind, ref, session_id, payload) values
('call_bcb1bfb2f640fa7cde36f563', 1794819908000, 'call', 'call_bcb1bfb2f640fa7cde36f563', '12867d73224bab322cdd672fa6c9ee63', '{"output":"Slept for 300 s."}'),
('call_faaa87688f3448925790da34', 1794820211000, 'call', 'call_faaa87688f3448925790da34', '29c9a18b130976ce35e454f15e3e7f5f', '{}'),
('call_5a5ba9a3d967855e56218869', 1794823214000, 'call', 'call_5a5ba9a3d967855e56218869', 'ac00fa184a128b776028202f37a5c348', '{}'),
('call_df386cdba52b6536e3cce69b', 1794823217000, 'call', 'call_df386cdba52b6536e3cce69b', '9d771b55ef08dd4d3d20a57fca907d21', '{}'),
('call_4f039115b8fe22f4da73058a', 1794819917000, 'call', 'call_4f039115b8fe22f4da73058a', '22d58b0e543c3bc3f3ef6d3389a51095', '{"output":"Slept for 300 s."}'),
('wait:task_a374f0ec785eb18c9b4d1397:22d58b0e543c3bc3f3ef6d3389a51095', 1794823217000, 'wait', 'task_a374f0ec785eb18c9b4d1397', '22d58b0e543c3bc3f3ef6d3389a51095', '{}');
insert into prompts (session_id, key, model, text, sections, created_at, told) values
('110361e9c7f232c63fffac82f2856f40', 'c36ae23f8705c05dd4238eb2cff7587e976e1460a18bd2e501ba185e59847c53', 'lab/approval', '<rules>
Be brief.
</rules>

<agent>
You are Approval.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
bash: Commands cannot ask questions: pass the flags that make them non-interactive.
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Approval.\n</agent>","tokens":9},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\nbash: Commands cannot ask questions: pass the flags that make them non-interactive.\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\n</guidance>","tokens":59},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819602000, '{}'),
('1dbf3a4b585ea95aedb465420687b8b7', 'cc58d9b1d035a0d90db0ded155de6bb79d256d118d3e209b1a9199b25205f32f', 'lab/question', '<rules>
Be brief.
</rules>

<agent>
You are Question.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Question.\n</agent>","tokens":9},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819605000, '{}'),
('12867d73224bab322cdd672fa6c9ee63', '7a9e9d5cd94433d762499414e4fd09b5a8cc325899fc037fb31d955f534814a0', 'lab/timer', '<rules>
Be brief.
</rules>

<agent>
You are Timer.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
sleep: Messages come by themselves; do not sleep to wait for one.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Timer.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nsleep: Messages come by themselves; do not sleep to wait for one.\n</guidance>","tokens":54},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819608000, '{}'),
('29c9a18b130976ce35e454f15e3e7f5f', '7c6ae545c8bec10b31fdcc0ff1f47e08d0c3446125f02c4484012b6f0113ddc5', 'lab/ask', '<rules>
Be brief.
</rules>

<agent>
You are Ask.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<agents>
Agents you may talk to, each addressed by its name:
- allowed
- answered
- approval
- asked
- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.
- child
- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.
- command
- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.
- mail
- napper
- news
- question
- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.
- sitter
- spawn
- tasks
- timer
- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.
- writing
</agents>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Ask.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"agents","text":"<agents>\nAgents you may talk to, each addressed by its name:\n- allowed\n- answered\n- approval\n- asked\n- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.\n- child\n- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.\n- command\n- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.\n- mail\n- napper\n- news\n- question\n- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.\n- sitter\n- spawn\n- tasks\n- timer\n- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.\n- writing\n</agents>","tokens":190},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819611000, '{}'),
('c3f639db65b4d2c5199fe8c072ead5a8', '97f552ec8a28f7e94474ab2b083609027c357fb6a51178da0b034415112a114f', 'lab/asked', '<rules>
Be brief.
</rules>

<agent>
You are Asked.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Asked.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819611000, '{}'),
('ac00fa184a128b776028202f37a5c348', 'da5181110f8d61bf6caf91dc1261b9b382341cc5bba298a7abbf0351ecce7e75', 'lab/spawn', '<rules>
Be brief.
</rules>

<agent>
You are Spawn.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
agent_spawn: For several independent pieces spawn them all with wait false, then task_wait.
</guidance>

<agents>
Agents you may talk to, each addressed by its name:
- allowed
- answered
- approval
- ask
- asked
- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.
- child
- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.
- command
- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.
- mail
- napper
- news
- question
- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.
- sitter
- tasks
- timer
- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.
- writing
</agents>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Spawn.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\nagent_spawn: For several independent pieces spawn them all with wait false, then task_wait.\n</guidance>","tokens":84},{"tag":"agents","text":"<agents>\nAgents you may talk to, each addressed by its name:\n- allowed\n- answered\n- approval\n- ask\n- asked\n- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.\n- child\n- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.\n- command\n- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.\n- mail\n- napper\n- news\n- question\n- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.\n- sitter\n- tasks\n- timer\n- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.\n- writing\n</agents>","tokens":189},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819614000, '{}'),
('2ac4c758930c07816a1c78cec7ef1deb', 'eead81ef092dd4dbdf6eeaf6bbdcfeb461acab9a8c05f972b2818844de5320e5', 'lab/child', '<rules>
Be brief.
</rules>

<agent>
You are Child.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
You work on one instruction for the agent that started you. It sees only your last message: make that the complete result, and stop.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Child.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nYou work on one instruction for the agent that started you. It sees only your last message: make that the complete result, and stop.\n</mode>","tokens":37}]', 1794819614000, '{}'),
('9d771b55ef08dd4d3d20a57fca907d21', '515e388e097dd3909269fb93a95e39a5c7543ac5e59490e117068b6bad0d6f22', 'lab/tasks', '<rules>
Be brief.
</rules>

<agent>
You are Tasks.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
sleep: Messages come by themselves; do not sleep to wait for one.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
agent_spawn: For several independent pieces spawn them all with wait false, then task_wait.
</guidance>

<agents>
Agents you may talk to, each addressed by its name:
- allowed
- answered
- approval
- ask
- asked
- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.
- child
- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.
- command
- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.
- mail
- napper
- news
- question
- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.
- sitter
- spawn
- timer
- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.
- writing
</agents>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Tasks.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nsleep: Messages come by themselves; do not sleep to wait for one.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\nagent_spawn: For several independent pieces spawn them all with wait false, then task_wait.\n</guidance>","tokens":101},{"tag":"agents","text":"<agents>\nAgents you may talk to, each addressed by its name:\n- allowed\n- answered\n- approval\n- ask\n- asked\n- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.\n- child\n- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.\n- command\n- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.\n- mail\n- napper\n- news\n- question\n- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.\n- sitter\n- spawn\n- timer\n- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.\n- writing\n</agents>","tokens":189},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819617000, '{}'),
('22d58b0e543c3bc3f3ef6d3389a51095', '4f967e7913c7e2f8961d1d3687008b13087e1a0d99a5cf0eff7f99378e646de1', 'lab/napper', '<rules>
Be brief.
</rules>

<agent>
You are Napper.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
sleep: Messages come by themselves; do not sleep to wait for one.
</guidance>

<mode>
You work on one instruction for the agent that started you. It sees only your last message: make that the complete result, and stop.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Napper.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nsleep: Messages come by themselves; do not sleep to wait for one.\n</guidance>","tokens":54},{"tag":"mode","text":"<mode>\nYou work on one instruction for the agent that started you. It sees only your last message: make that the complete result, and stop.\n</mode>","tokens":37}]', 1794819617000, '{}'),
('c7c3feefcc7b04f9595bf0f8b1c072b0', 'c70a0941ab638db86ea40851538923e645ed86453b885c530571f534343efd0b', 'lab/sitter', '<rules>
Be brief.
</rules>

<agent>
You are Sitter.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
You work on one instruction for the agent that started you. It sees only your last message: make that the complete result, and stop.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Sitter.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nYou work on one instruction for the agent that started you. It sees only your last message: make that the complete result, and stop.\n</mode>","tokens":37}]', 1794819617000, '{}'),
('32d226fbe215b48ca9cef58b67fd3a55', '0e274d651dd0bc15660a420656964b811ca376b8e147801a62354025eba634dc', 'lab/mail', '<rules>
Be brief.
</rules>

<agent>
You are Mail.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Mail.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819620000, '{}'),
('ec888a05e44f65bf3605961c0984aeec', 'e8a7a5d745af2d857285492fc15f69df9b01802debf2d6209b0a09b5e9162774', 'lab/answered', '<rules>
Be brief.
</rules>

<agent>
You are Answered.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Answered.\n</agent>","tokens":9},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819624000, '{}'),
('48c96ef803b87d220444cf888d3183d7', '4e7003a1398e0853224076b78b091197349182ca77714c477f69ff05ad4335ae', 'lab/allowed', '<rules>
Be brief.
</rules>

<agent>
You are Allowed.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
bash: Commands cannot ask questions: pass the flags that make them non-interactive.
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Allowed.\n</agent>","tokens":9},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\nbash: Commands cannot ask questions: pass the flags that make them non-interactive.\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\n</guidance>","tokens":59},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819627000, '{}'),
('62d37e28c66aada33958f37a969f6920', 'bf05cfd9e2112c6a5c357eddd16533e8bedfe3cead0226b31a836fb087e41f00', 'lab/news', '<rules>
Be brief.
</rules>

<agent>
You are News.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
agent_send: agent_send tells and does not wait; agent_message asks and waits for the answer; agent_spawn gives a piece of work to a fresh helper. Do not answer thanks or confirmations: every message costs the other a turn.
</guidance>

<agents>
Agents you may talk to, each addressed by its name:
- allowed
- answered
- approval
- ask
- asked
- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.
- child
- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.
- command
- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.
- mail
- napper
- question
- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.
- sitter
- spawn
- tasks
- timer
- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.
- writing
</agents>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are News.\n</agent>","tokens":8},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nagent_send: agent_send tells and does not wait; agent_message asks and waits for the answer; agent_spawn gives a piece of work to a fresh helper. Do not answer thanks or confirmations: every message costs the other a turn.\n</guidance>","tokens":94},{"tag":"agents","text":"<agents>\nAgents you may talk to, each addressed by its name:\n- allowed\n- answered\n- approval\n- ask\n- asked\n- assistant: A general helper: answers questions, looks things up in the project, does small jobs, and knows whom to ask.\n- child\n- coder: Reads, changes and tests code: features, bug fixes, refactorings, reviews.\n- command\n- coordinator: Leads a team toward a goal: divides the work, hands it out, follows it, and brings the results together.\n- mail\n- napper\n- question\n- researcher: Finds things out, in the project''s files and on the web, and reports with sources. Changes nothing.\n- sitter\n- spawn\n- tasks\n- timer\n- writer: Writes and edits texts: documentation, reports, summaries, messages. Works on files, runs no commands.\n- writing\n</agents>","tokens":190},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819637000, '{}'),
('469b679cb414ec8050c4704991dc611b', '52beaa5787b6fdac7ec99edf8a196c708a9f58205870c81d86a723514e32b213', 'lab/writing', '<rules>
Be brief.
</rules>

<agent>
You are Writing.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
ask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Writing.\n</agent>","tokens":9},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\nask_human: Ask only what you cannot find out or decide yourself, and ask everything at once.\n</guidance>","tokens":61},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819640000, '{}'),
('ef012895b9769cb77eb5a4aea3825e55', '149f329ade24a81284752fbf64a472834dd37f52df79768ebf2e3fa9da069a7d', 'lab/command', '<rules>
Be brief.
</rules>

<agent>
You are Command.
</agent>

<environment>
Date: 2026-11-16 (UTC)
Project: {project}
Workspace, where your files and commands live: the project folder
Platform: linux
</environment>

<guidance>
bash: Commands cannot ask questions: pass the flags that make them non-interactive.
todo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.
</guidance>

<mode>
This is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.
</mode>', '[{"tag":"rules","text":"<rules>\nBe brief.\n</rules>","tokens":394},{"tag":"agent","text":"<agent>\nYou are Command.\n</agent>","tokens":9},{"tag":"environment","text":"<environment>\nDate: 2026-11-16 (UTC)\nProject: {project}\nWorkspace, where your files and commands live: the project folder\nPlatform: linux\n</environment>","tokens":43},{"tag":"guidance","text":"<guidance>\nbash: Commands cannot ask questions: pass the flags that make them non-interactive.\ntodo_write: For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.\n</guidance>","tokens":59},{"tag":"mode","text":"<mode>\nThis is a continuing conversation. When you have answered and nothing is left to do, stop; the next message wakes you.\n</mode>","tokens":34}]', 1794819643000, '{}');
insert into grants (session_id, tool, created_at) values
('48c96ef803b87d220444cf888d3183d7', 'bash(touch allowed.txt)', 1794819629000);
insert into tasks (id, project_id, agent, session_id, parent_session_id, call_id, status, top_level, return_mode, instruction, max_duration_ms, summarizing, chain_id, hops, cost_usd, created_at, started_at, updated_at, priority, max_wait_ms, total_cost_usd, unpriced_tokens) values
('task_473338e3ef4e251353ffaafb', '{projectId}', 'child', '2ac4c758930c07816a1c78cec7ef1deb', 'ac00fa184a128b776028202f37a5c348', 'call_5a5ba9a3d967855e56218869', 'waiting', 0, 'lastMessage', 'Count them.', 1800000, 0, 'chain_6645d0f118f7374eb9fa8570', 1, 0, 1794819614000, 1794819614000, 1794819615000, 'normal', 3600000, 0, 0),
('task_a374f0ec785eb18c9b4d1397', '{projectId}', 'napper', '22d58b0e543c3bc3f3ef6d3389a51095', '9d771b55ef08dd4d3d20a57fca907d21', 'call_51a82b42dfdfd76bee9efd26', 'waiting', 0, 'lastMessage', 'Rest.', 1800000, 0, 'chain_1bc081c64fa3659310bb21ed', 1, 0, 1794819617000, 1794819617000, 1794819617000, 'normal', 3600000, 0, 0),
('task_30a4f11c1810eb09d1193088', '{projectId}', 'sitter', 'c7c3feefcc7b04f9595bf0f8b1c072b0', '9d771b55ef08dd4d3d20a57fca907d21', 'call_aa8fe29511acec056f80fb32', 'waiting', 0, 'lastMessage', 'Rest.', 1800000, 0, 'chain_1bc081c64fa3659310bb21ed', 1, 0, 1794819617000, 1794819617000, 1794819618000, 'normal', 3600000, 0, 0);
insert into subscriptions (task_id, session_id, call_id, state, created_at, charged_usd, charged_tokens) values
('task_473338e3ef4e251353ffaafb', 'ac00fa184a128b776028202f37a5c348', 'call_5a5ba9a3d967855e56218869', 'open', 1794819614000, 0, 0),
('task_a374f0ec785eb18c9b4d1397', '9d771b55ef08dd4d3d20a57fca907d21', 'call_df386cdba52b6536e3cce69b', 'open', 1794819617000, 0, 0),
('task_30a4f11c1810eb09d1193088', '9d771b55ef08dd4d3d20a57fca907d21', 'call_df386cdba52b6536e3cce69b', 'open', 1794819617000, 0, 0);
insert into requests (id, session_id, turn_id, model, outcome, at, tokens_input, tokens_output, tokens_cached, tokens_reasoning) values
('turn_55dbc3ca49b513f8856b7d18:1.1', '110361e9c7f232c63fffac82f2856f40', 'turn_55dbc3ca49b513f8856b7d18', 'lab/approval', 'answered', 1794819602000, 100, 20, 0, 0),
('turn_1b5b083bcff82a8b0abe9ef9:1.1', '1dbf3a4b585ea95aedb465420687b8b7', 'turn_1b5b083bcff82a8b0abe9ef9', 'lab/question', 'answered', 1794819605000, 100, 20, 0, 0),
('turn_33154f422d875a29f3d5b9a8:1.1', '12867d73224bab322cdd672fa6c9ee63', 'turn_33154f422d875a29f3d5b9a8', 'lab/timer', 'answered', 1794819608000, 100, 20, 0, 0),
('turn_b6811ebb6b97b2b04a693194:1.1', '29c9a18b130976ce35e454f15e3e7f5f', 'turn_b6811ebb6b97b2b04a693194', 'lab/ask', 'answered', 1794819611000, 100, 20, 0, 0),
('turn_aeb613d4f5175ebf813e8e70:1.1', 'c3f639db65b4d2c5199fe8c072ead5a8', 'turn_aeb613d4f5175ebf813e8e70', 'lab/asked', 'answered', 1794819612000, 100, 20, 0, 0),
('turn_6c96b8b4432b62887f7200a8:1.1', 'ac00fa184a128b776028202f37a5c348', 'turn_6c96b8b4432b62887f7200a8', 'lab/spawn', 'answered', 1794819614000, 100, 20, 0, 0),
('turn_59f99935cf8e87411c5b6089:1.1', '2ac4c758930c07816a1c78cec7ef1deb', 'turn_59f99935cf8e87411c5b6089', 'lab/child', 'answered', 1794819615000, 100, 20, 0, 0),
('turn_36df8e5bbdaa3be3d917c201:1.1', '9d771b55ef08dd4d3d20a57fca907d21', 'turn_36df8e5bbdaa3be3d917c201', 'lab/tasks', 'answered', 1794819617000, 100, 20, 0, 0),
('turn_36df8e5bbdaa3be3d917c201:2.1', '9d771b55ef08dd4d3d20a57fca907d21', 'turn_36df8e5bbdaa3be3d917c201', 'lab/tasks', 'answered', 1794819617000, 100, 20, 0, 0),
('turn_7964148792a76c45f27b28fb:1.1', '22d58b0e543c3bc3f3ef6d3389a51095', 'turn_7964148792a76c45f27b28fb', 'lab/napper', 'answered', 1794819617000, 100, 20, 0, 0),
('turn_92bc27158d7a81b41b57a4a1:1.1', 'c7c3feefcc7b04f9595bf0f8b1c072b0', 'turn_92bc27158d7a81b41b57a4a1', 'lab/sitter', 'answered', 1794819617000, 100, 20, 0, 0),
('turn_bfaed2cf2aa499d88a88673b:1.1', '32d226fbe215b48ca9cef58b67fd3a55', 'turn_bfaed2cf2aa499d88a88673b', 'lab/mail', 'answered', 1794819621000, 100, 20, 0, 0),
('turn_85f27234a9b528e71fe03ae6:1.1', 'ec888a05e44f65bf3605961c0984aeec', 'turn_85f27234a9b528e71fe03ae6', 'lab/answered', 'answered', 1794819624000, 100, 20, 0, 0),
('turn_8c8d058c32a200e48276ec5a:1.1', '48c96ef803b87d220444cf888d3183d7', 'turn_8c8d058c32a200e48276ec5a', 'lab/allowed', 'answered', 1794819627000, 100, 20, 0, 0),
('turn_de4692391e262f99e6235ae8:1.1', '62d37e28c66aada33958f37a969f6920', 'turn_de4692391e262f99e6235ae8', 'lab/news', 'answered', 1794819640000, 100, 20, 0, 0),
('turn_de4692391e262f99e6235ae8:2.1', '62d37e28c66aada33958f37a969f6920', 'turn_de4692391e262f99e6235ae8', 'lab/news', 'answered', 1794819640000, 100, 20, 0, 0),
('turn_1321cfc0dd64042e51f89e53:1.1', 'ef012895b9769cb77eb5a4aea3825e55', 'turn_1321cfc0dd64042e51f89e53', 'lab/command', 'answered', 1794819644000, 100, 20, 0, 0);
