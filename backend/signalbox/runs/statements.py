"""The SQL of runs: one statement starts a run and brings its context, one ends it. Placeholders are psycopg's.

Positions of a conversation's runs and messages are handed out under its row's lock, so they follow commit order.
"""

from typing import Final

HISTORY_MESSAGES: Final = 30
HISTORY_WITH_BLOCKS: Final = 24

# What a run that was not over then says later is not in the history of this one, whichever worker reads it when.
HISTORY: Final = """
    (SELECT coalesce(jsonb_agg(to_jsonb(past) - 'position' ORDER BY past.position), '[]') FROM (
        SELECT m.position, m.role, m.content, m.agent, m.status = 'partial' AS partial,
               m.position <= coalesce((SELECT upto FROM told), 0) AS summarised,
               CASE WHEN r.finished_at <= %(started)s::timestamptz THEN r.intent END AS intent,
               CASE WHEN row_number() OVER (ORDER BY m.position DESC) <= %(with_blocks)s
                    THEN m.blocks ELSE '[]'::jsonb END AS blocks
        FROM message m LEFT JOIN run r USING (run_id)
        WHERE m.conversation_id = %(conversation_id)s AND m.position < %(before)s
          AND (m.role = 'user' OR r.run_id IS NULL OR r.finished_at <= %(started)s::timestamptz)
        ORDER BY m.position DESC LIMIT %(messages)s) past)"""

PROFILE: Final = """
    (SELECT coalesce(jsonb_agg(jsonb_build_object('fact_id', fact_id, 'kind', kind, 'key', key, 'value', value,
        'source_message_id', source_message_id, 'confidence', confidence, 'origin', origin, 'pinned', pinned,
        'noted_on', (created_at AT TIME ZONE 'UTC')::date) ORDER BY created_at, fact_id), '[]') FROM profile_fact
     WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL AND NOT %(temporary)s
       AND NOT EXISTS (SELECT FROM user_setting s WHERE s.tenant = %(tenant)s AND s.user_id = %(user_id)s
                       AND NOT s.remember))"""

# The newest summary of the conversation, and up to which message it tells: the run keeps it, as it keeps the profile.
_TOLD: Final = """
    SELECT version, upto, content FROM conversation_summary
    WHERE conversation_id = %(conversation_id)s ORDER BY version DESC LIMIT 1"""

_FLOOR: Final = """
    (SELECT epoch || '-' || last_offset FROM run WHERE conversation_id = %(conversation_id)s
        AND last_offset IS NOT NULL ORDER BY position DESC LIMIT 1)"""

# What a run begins with, if it begins here and now; one that has to wait for a worker gets it when it is claimed.
_BEGUN: Final = """
    CASE WHEN place.here THEN 'running' ELSE 'pending' END,
    CASE WHEN place.here THEN %(lease_owner)s END,
    CASE WHEN place.here THEN now() + make_interval(secs => %(lease_s)s) END,
    CASE WHEN place.here THEN clock_timestamp() END,
    CASE WHEN place.here THEN %(model)s END,
    CASE WHEN place.here THEN %(pins)s END,
    CASE WHEN place.here THEN facts.profile END"""

# Whether there is room to begin at once; ``here`` also while it is not sure that the message is taken at all.
_PLACE: Final = """place AS MATERIALIZED (
    SELECT room, room OR %(held)s AS here FROM (SELECT %(here)s AND (
        SELECT count(*) FROM run WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND status = 'running'
          AND lease_until >= now()) < %(per_user)s AS room) AS looked
)"""

_START_HEAD: Final = (
    """
WITH prior AS (
    SELECT run_id FROM run WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND idempotency_key = %(key)s
), facts AS MATERIALIZED (
    SELECT """
    + PROFILE
    + """ AS profile
), """
    + _PLACE
    + """, told AS MATERIALIZED ("""
    + _TOLD
    + """
), conv AS ("""
)

_START_TAIL: Final = (
    """
), new_run AS (
    INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, idempotency_key, request_digest,
                     status, lease_owner, lease_until, started_at, model, pins, profile, summary_version)
    SELECT %(run_id)s, conversation_id, %(tenant)s, %(user_id)s, %(message_id)s, %(key)s, %(digest)s,"""
    + _BEGUN
    + """, CASE WHEN place.here THEN (SELECT version FROM told) END
    FROM conv, facts, place WHERE NOT EXISTS (SELECT FROM prior)
    ON CONFLICT (tenant, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING run_id, started_at
), new_message AS (
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content)
    SELECT %(message_id)s, %(conversation_id)s, run_id, %(tenant)s, %(user_id)s, 'user', %(message)s FROM new_run
), chosen AS (
    UPDATE suggestion SET chosen_by_run = %(run_id)s
    WHERE suggestion_id = %(suggestion_id)s AND conversation_id = %(conversation_id)s AND chosen_by_run IS NULL
      AND EXISTS (SELECT FROM new_run)
    RETURNING run_id, intent
), outcome AS (
    UPDATE classification c SET chosen_intent = chosen.intent,
           outcome = CASE WHEN c.intent = chosen.intent THEN 'chosen' ELSE 'chose_other' END
    FROM chosen WHERE c.run_id = chosen.run_id AND c.outcome = 'clarified'
)
SELECT (SELECT run_id FROM new_run) AS run_id, (SELECT started_at FROM new_run) AS started_at,
       (SELECT run_id FROM prior) AS prior, (SELECT room FROM place) AS room,
       (SELECT temporary FROM conv) AS temporary, (SELECT count(*) FROM chosen) AS chosen,
       EXISTS (SELECT FROM run WHERE conversation_id = %(conversation_id)s
               AND status IN ('pending', 'running')) AS busy,
       """
    + HISTORY
    + """ AS history, (SELECT profile FROM facts) AS profile, (SELECT content FROM told) AS summary,
       """
    + _FLOOR
    + """ AS floor
"""
)


NEW_CONVERSATION: Final = """
    INSERT INTO conversation (conversation_id, tenant, user_id, title, temporary)
    SELECT %(conversation_id)s, %(tenant)s, %(user_id)s, %(title)s, %(temporary)s
    WHERE NOT EXISTS (SELECT FROM prior) RETURNING conversation_id, temporary"""

OLD_CONVERSATION: Final = """
    UPDATE conversation SET updated_at = now()
    WHERE conversation_id = %(conversation_id)s AND tenant = %(tenant)s AND user_id = %(user_id)s
    RETURNING conversation_id, temporary"""

_ANSWERS: Final = """
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content, status, agent,
                         blocks, citations)
    SELECT a.message_id, done.conversation_id, done.run_id, done.tenant, done.user_id, 'assistant', a.content,
           a.status, a.agent, a.blocks, a.citations
    FROM done, ROWS FROM (jsonb_to_recordset(%(answers)s) AS (message_id text, content text, status text,
        agent text, blocks jsonb, citations jsonb))
        WITH ORDINALITY AS a (message_id, content, status, agent, blocks, citations, nth)
    WHERE NOT done.rolled_back
    ORDER BY a.nth
    -- A run that waited for a human had stored what it said until then.
    ON CONFLICT (message_id) DO UPDATE SET content = excluded.content, status = excluded.status,
        agent = excluded.agent, blocks = excluded.blocks, citations = excluded.citations
    WHERE message.run_id = excluded.run_id"""

_FINISH: Final = (
    """
WITH done AS (
    UPDATE run SET status = %(status)s, finished_at = now(), told = false, lease_until = NULL, intent = %(intent)s,
        agent = %(agent)s, usage = %(usage)s, error_code = %(error_code)s, error_text = %(error_text)s,
        error_retry = %(error_retry)s, epoch = %(epoch)s, first_offset = %(first_offset)s,
        last_offset = %(last_offset)s, activity = %(activity)s
    WHERE run_id = %(run_id)s AND lease_token = %(lease_token)s AND status = 'running'
    RETURNING run_id, conversation_id, tenant, user_id, user_message_id, rolled_back
), taken_back AS (
    DELETE FROM message m USING done WHERE m.run_id = done.run_id AND done.rolled_back
), answer AS ("""
    + _ANSWERS
)

_ROUTED: Final = """), routed AS (
    INSERT INTO classification (run_id, tenant, user_id, text, intent, confidence, source, alternatives, outcome)
    SELECT done.run_id, done.tenant, done.user_id, c.text, c.intent, c.confidence, c.source, c.alternatives,
           c.outcome
    FROM done, jsonb_to_recordset(%(classification)s) AS c (text text, intent text, confidence float8,
        source text, alternatives jsonb, outcome text)
    WHERE NOT done.rolled_back
    ON CONFLICT DO NOTHING
"""

_OFFERED: Final = """), offered AS (
    INSERT INTO suggestion (suggestion_id, run_id, conversation_id, tenant, user_id, label, message, intent)
    SELECT s.id, done.run_id, done.conversation_id, done.tenant, done.user_id, s.label, s.message, s.intent
    FROM done, jsonb_to_recordset(%(suggestions)s) AS s (id text, label text, message text, intent text)
    WHERE NOT done.rolled_back
    ON CONFLICT DO NOTHING
"""

_WON: Final = """)
SELECT count(*) AS won, coalesce(bool_or(rolled_back), false) AS rolled_back FROM done
"""


def finish(*, routed: bool, offered: bool) -> str:
    """Ends a run under its lease; what was not said costs nothing."""
    return _FINISH + (_ROUTED if routed else "") + (_OFFERED if offered else "") + _WON


# A run waits for a human, unless the answer came already; its row is locked by whoever runs this.
PARK: Final = (
    """
WITH done AS (
    UPDATE run SET lease_owner = NULL, lease_until = NULL, agent = %(agent)s, epoch = %(epoch)s,
        first_offset = %(first_offset)s, last_offset = %(last_offset)s, activity = %(activity)s,
        status = CASE WHEN cancel_requested
                      OR NOT EXISTS (SELECT FROM approval a WHERE a.run_id = run.run_id AND a.decision IS NULL)
                 THEN 'pending' ELSE 'waiting' END
    WHERE run_id = %(run_id)s
    RETURNING run_id, conversation_id, tenant, user_id, rolled_back, status
), answer AS ("""
    + _ANSWERS
    + """)
SELECT status FROM done"""
)


# A conversation that nobody knows yet, without an idempotency key: nothing to look up but the profile.
START_FRESH: Final = (
    """
WITH facts AS MATERIALIZED (
    SELECT """
    + PROFILE
    + """ AS profile
), """
    + _PLACE
    + """, conv AS (
    INSERT INTO conversation (conversation_id, tenant, user_id, title, temporary)
    VALUES (%(conversation_id)s, %(tenant)s, %(user_id)s, %(title)s, %(temporary)s)
), new_run AS (
    INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, request_digest, status, lease_owner,
                     lease_until, started_at, model, pins, profile)
    SELECT %(run_id)s, %(conversation_id)s, %(tenant)s, %(user_id)s, %(message_id)s, %(digest)s,"""
    + _BEGUN
    + """
    FROM facts, place RETURNING started_at
), new_message AS (
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content)
    VALUES (%(message_id)s, %(conversation_id)s, %(run_id)s, %(tenant)s, %(user_id)s, 'user', %(message)s)
)
SELECT %(run_id)s::text AS run_id, (SELECT room FROM place) AS room, (SELECT started_at FROM new_run) AS started_at,
       %(temporary)s::boolean AS temporary, 0 AS chosen, NULL AS floor,
       '[]'::jsonb AS history, (SELECT profile FROM facts) AS profile
"""
)

START_NEW: Final = _START_HEAD + NEW_CONVERSATION + _START_TAIL
START_OLD: Final = _START_HEAD + OLD_CONVERSATION + _START_TAIL

CONTEXT_LIMITS: Final = {"messages": HISTORY_MESSAGES, "with_blocks": HISTORY_WITH_BLOCKS}

# What may be deadly to its process: in the second half of its attempts, and whoever was beside it has lost as many.
_SUSPECT: Final = "{attempt} > 1 AND 2 * {attempt} > %(attempts)s"

# Users take turns: the first waiting run of each, then the second of each. A conversation has one writer at a time.
# A worker has one suspect at a time, so that a deadly run is alone in the end and costs no other all its attempts.
CLAIM: Final = (
    """
WITH busy AS (
    SELECT tenant, user_id, count(*) AS n FROM run WHERE status = 'running' AND lease_until >= now() GROUP BY 1, 2
), users AS (
    -- Those who wait, one look into the index each, however many runs they have.
    WITH RECURSIVE next AS (
        (SELECT tenant, user_id FROM run WHERE status IN ('pending', 'running') ORDER BY tenant, user_id LIMIT 1)
        UNION ALL
        SELECT n.tenant, n.user_id FROM next, LATERAL (
            SELECT r.tenant, r.user_id FROM run r WHERE r.status IN ('pending', 'running')
              AND (r.tenant, r.user_id) > (next.tenant, next.user_id) ORDER BY r.tenant, r.user_id LIMIT 1) n)
    SELECT * FROM next
), ready AS (
    SELECT r.run_id, r.position, r.status = 'running' AS lost,
           r.status = 'running' AND r.attempt >= %(attempts)s AS given_up,
           r.attempt + CASE WHEN r.status = 'running' THEN 1 ELSE 0 END AS attempt,
           coalesce(busy.n, 0) + row_number() OVER (PARTITION BY u.tenant, u.user_id ORDER BY r.position) AS turn
    FROM users u LEFT JOIN busy USING (tenant, user_id), LATERAL (
        SELECT * FROM run r WHERE r.tenant = u.tenant AND r.user_id = u.user_id AND r.status IN ('pending', 'running')
          AND (r.status = 'pending' OR (r.lease_until < now() AND r.burials < 2))
          AND r.run_id <> ALL(%(declined)s::text[])
          AND NOT EXISTS (
            SELECT FROM run o WHERE o.conversation_id = r.conversation_id AND o.run_id <> r.run_id
              AND ((o.status = 'running' AND (o.lease_until >= now() OR o.position < r.position))
                   OR (o.status = 'pending' AND o.position < r.position)))
        ORDER BY r.position LIMIT greatest(%(room)s, 8)) r
), judged AS (
    SELECT *, NOT given_up AND """
    + _SUSPECT.format(attempt="attempt")
    + """ AS suspect FROM ready WHERE turn <= %(per_user)s
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY suspect ORDER BY turn, position) AS nth FROM judged
), chosen AS (
    SELECT * FROM ranked WHERE NOT suspect OR (nth = 1 AND NOT EXISTS (
        SELECT FROM run h WHERE h.status = 'running' AND h.lease_owner = %(lease_owner)s AND h.lease_until >= now()
          AND """
    + _SUSPECT.format(attempt="h.attempt")
    + """))
    ORDER BY turn, position LIMIT %(room)s
), mine AS (
    SELECT run.run_id, chosen.lost, chosen.given_up, started_at IS NULL AS fresh
    FROM run JOIN chosen USING (run_id)
    WHERE run.status = 'pending' OR (run.status = 'running' AND run.lease_until < now())
    FOR UPDATE OF run SKIP LOCKED
)
UPDATE run SET status = 'running', lease_owner = %(lease_owner)s, lease_token = lease_token + 1,
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
    attempt = attempt + CASE WHEN mine.lost AND NOT mine.given_up THEN 1 ELSE 0 END,
    burials = burials + CASE WHEN mine.given_up THEN 1 ELSE 0 END,
    started_at = coalesce(started_at, clock_timestamp()),
    model = coalesce(model, %(model)s), pins = coalesce(pins, %(pins)s),
    summary_version = CASE WHEN started_at IS NOT NULL THEN summary_version
        ELSE (SELECT max(s.version) FROM conversation_summary s WHERE s.conversation_id = run.conversation_id) END,
    profile = coalesce(profile, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('fact_id', f.fact_id, 'kind', f.kind, 'key', f.key,
            'value', f.value, 'source_message_id', f.source_message_id, 'confidence', f.confidence,
            'origin', f.origin, 'pinned', f.pinned, 'noted_on', (f.created_at AT TIME ZONE 'UTC')::date)
            ORDER BY f.created_at, f.fact_id), '[]')
        FROM profile_fact f
        WHERE f.tenant = run.tenant AND f.user_id = run.user_id AND f.retired_at IS NULL
          AND NOT EXISTS (SELECT FROM user_setting s WHERE s.tenant = run.tenant AND s.user_id = run.user_id
                          AND NOT s.remember)))
FROM mine WHERE run.run_id = mine.run_id
RETURNING run.run_id, run.conversation_id, run.tenant, run.user_id, run.user_message_id, run.lease_token,
    run.attempt, run.started_at, run.model, run.pins, run.profile, run.summary_version,
    run.cancel_requested, mine.fresh, mine.given_up"""
)

# The rest of what a claimed run starts from.
LOAD: Final = (
    """
WITH told AS MATERIALIZED (
    SELECT upto, content FROM conversation_summary
    WHERE conversation_id = %(conversation_id)s AND version = %(summary_version)s
)
SELECT asked.content AS message, c.temporary, s.suggestion_id, s.intent AS chosen_intent,
    """
    + HISTORY.replace("%(before)s", "asked.position")
    + """ AS history, (SELECT content FROM told) AS summary,
    """
    + _FLOOR
    + """ AS floor
FROM message asked JOIN conversation c USING (conversation_id)
LEFT JOIN suggestion s ON s.chosen_by_run = %(run_id)s
WHERE asked.message_id = %(user_message_id)s"""
)

_RUN_COLUMNS: Final = (
    "SELECT run_id, conversation_id, status, attempt, intent, agent, error_code, error_text, error_retry, usage, "
    "created_at, finished_at, request_digest FROM run "
)
RUN_OF_OWNER: Final = _RUN_COLUMNS + "WHERE run_id = %s AND tenant = %s AND user_id = %s"
RUN_OF_KEY: Final = _RUN_COLUMNS + "WHERE idempotency_key = %s AND tenant = %s AND user_id = %s"

# The quick replies of a conversation's last run, as long as none was chosen and nothing else numbered was shown.
OPEN_SUGGESTIONS: Final = """
    WITH last AS (SELECT run_id FROM run WHERE conversation_id = %s AND tenant = %s AND user_id = %s
                  AND NOT rolled_back ORDER BY position DESC LIMIT 1)
    SELECT suggestion_id FROM suggestion s JOIN last USING (run_id)
    WHERE NOT EXISTS (SELECT FROM suggestion o JOIN last USING (run_id) WHERE o.chosen_by_run IS NOT NULL)
      AND NOT EXISTS (SELECT FROM message m JOIN last USING (run_id), jsonb_array_elements(m.blocks) AS block
                      WHERE block ->> 'type' IN ('jobs_data', 'job_match', 'application_status'))
    ORDER BY created_at, suggestion_id"""

# Cancelled at once is what no worker has and has said nothing that is not stored; the others are told to stop.
CANCEL: Final = """
WITH asked AS (
    SELECT run_id, status = 'waiting' OR (status = 'pending' AND started_at IS NULL) AS idle FROM run
    WHERE run_id = %(run_id)s AND tenant = %(tenant)s AND user_id = %(user_id)s
      AND status IN ('pending', 'running', 'waiting') FOR UPDATE
), told AS (
    UPDATE run SET cancel_requested = true,
        status = CASE WHEN asked.idle THEN 'cancelled' ELSE status END,
        finished_at = CASE WHEN asked.idle THEN now() ELSE finished_at END, told = NOT asked.idle,
        lease_token = lease_token + CASE WHEN asked.idle THEN 1 ELSE 0 END
    FROM asked WHERE run.run_id = asked.run_id
    RETURNING run.run_id, run.conversation_id, run.lease_token, run.status,
        CASE WHEN asked.idle AND run.rolled_back THEN run.user_message_id END AS retracted
), unanswered AS (
    UPDATE approval a SET decision = 'rejected', note = 'the run was cancelled', decided_at = now()
    FROM told WHERE a.run_id = told.run_id AND told.status = 'cancelled' AND a.decision IS NULL
    RETURNING a.approval_id
), taken_back AS (
    DELETE FROM message m USING told WHERE m.run_id = told.run_id AND told.retracted IS NOT NULL
)
SELECT run_id, conversation_id, lease_token, status, retracted,
    (SELECT array_agg(approval_id) FROM unanswered) AS unanswered FROM told"""

# In the store alone; of one that was taken back the messages go, as with any other of its endings.
BURY: Final = """
WITH dead AS (
    UPDATE run SET status = 'dead', finished_at = now(), lease_token = lease_token + 1, lease_until = NULL,
        told = false, error_code = 'run_dead', error_retry = false, error_text = %(error_text)s
    WHERE status = 'running' AND lease_until < now() AND burials >= 2
    RETURNING run_id, rolled_back
), taken_back AS (
    DELETE FROM message m USING dead WHERE m.run_id = dead.run_id AND dead.rolled_back
)
SELECT count(*) AS n FROM dead"""

ORPHAN: Final = (
    "SELECT run_id, conversation_id, lease_token, status, burials >= 2 AS buried, "
    "CASE WHEN rolled_back THEN user_message_id END AS retracted FROM run "
)
