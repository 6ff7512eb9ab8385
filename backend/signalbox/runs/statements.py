"""The SQL of runs: one statement starts a run and brings its context, one ends it. Placeholders are psycopg's.

Positions of a conversation's runs and messages are handed out under its row's lock, so they follow commit order.
"""

from typing import Final

HISTORY_MESSAGES: Final = 30
HISTORY_WITH_BLOCKS: Final = 24

HISTORY: Final = """
    (SELECT coalesce(jsonb_agg(to_jsonb(past) - 'position' ORDER BY past.position), '[]') FROM (
        SELECT m.position, m.role, m.content, m.agent, r.intent,
               CASE WHEN row_number() OVER (ORDER BY m.position DESC) <= %(with_blocks)s
                    THEN m.blocks ELSE '[]'::jsonb END AS blocks
        FROM message m LEFT JOIN run r USING (run_id)
        WHERE m.conversation_id = %(conversation_id)s AND m.position < %(before)s
        ORDER BY m.position DESC LIMIT %(messages)s) past)"""

PROFILE: Final = """
    (SELECT coalesce(jsonb_agg(jsonb_build_object('fact_id', fact_id, 'kind', kind, 'key', key, 'value', value,
        'source_message_id', source_message_id) ORDER BY created_at, fact_id), '[]') FROM profile_fact
     WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL AND NOT %(temporary)s)"""

_START_HEAD: Final = """
WITH prior AS (
    SELECT run_id FROM run WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND idempotency_key = %(key)s
), conv AS ("""

_START_TAIL: Final = (
    """
), new_run AS (
    INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, idempotency_key,
                     request_digest, lease_owner, lease_until)
    SELECT %(run_id)s, conversation_id, %(tenant)s, %(user_id)s, %(message_id)s, 'running', %(key)s, %(digest)s,
           %(lease_owner)s, now() + make_interval(secs => %(lease_s)s)
    FROM conv WHERE NOT EXISTS (SELECT FROM prior)
    ON CONFLICT (tenant, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING run_id
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
SELECT (SELECT run_id FROM new_run) AS run_id, (SELECT run_id FROM prior) AS prior,
       (SELECT temporary FROM conv) AS temporary, (SELECT count(*) FROM chosen) AS chosen,
       """
    + HISTORY
    + """ AS history, """
    + PROFILE
    + """ AS profile,
       (SELECT epoch || '-' || last_offset FROM run WHERE conversation_id = %(conversation_id)s
            AND last_offset IS NOT NULL ORDER BY position DESC LIMIT 1) AS floor
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

_FINISH: Final = """
WITH done AS (
    UPDATE run SET status = %(status)s, finished_at = now(), lease_until = NULL, intent = %(intent)s,
        agent = %(agent)s, usage = %(usage)s, error_code = %(error_code)s, error_text = %(error_text)s,
        error_retry = %(error_retry)s, epoch = %(epoch)s, first_offset = %(first_offset)s,
        last_offset = %(last_offset)s
    WHERE run_id = %(run_id)s AND lease_token = %(lease_token)s AND status IN ('pending', 'running')
    RETURNING run_id, conversation_id, tenant, user_id, user_message_id
), answer AS (
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content, status, agent,
                         blocks, citations)
    SELECT a.message_id, conversation_id, run_id, tenant, user_id, 'assistant', a.content, a.status,
           a.agent, a.blocks, a.citations
    FROM done, ROWS FROM (jsonb_to_recordset(%(answers)s) AS (message_id text, content text, status text,
        agent text, blocks jsonb, citations jsonb))
        WITH ORDINALITY AS a (message_id, content, status, agent, blocks, citations, nth)
    ORDER BY a.nth
"""

_ROUTED: Final = """), routed AS (
    INSERT INTO classification (run_id, tenant, user_id, text, intent, confidence, source, alternatives, outcome)
    SELECT done.run_id, done.tenant, done.user_id, c.text, c.intent, c.confidence, c.source, c.alternatives,
           c.outcome
    FROM done, jsonb_to_recordset(%(classification)s) AS c (text text, intent text, confidence float8,
        source text, alternatives jsonb, outcome text)
"""

_OFFERED: Final = """), offered AS (
    INSERT INTO suggestion (suggestion_id, run_id, conversation_id, tenant, user_id, label, message, intent)
    SELECT s.id, done.run_id, done.conversation_id, done.tenant, done.user_id, s.label, s.message, s.intent
    FROM done, jsonb_to_recordset(%(suggestions)s) AS s (id text, label text, message text, intent text)
    ON CONFLICT DO NOTHING
"""

_WON: Final = """)
SELECT count(*) AS won FROM done
"""


def finish(*, routed: bool, offered: bool) -> str:
    """Ends a run under its lease; what was not said costs nothing."""
    return _FINISH + (_ROUTED if routed else "") + (_OFFERED if offered else "") + _WON


# A conversation that nobody knows yet, without an idempotency key: nothing to look up but the profile.
START_FRESH: Final = (
    """
WITH conv AS (
    INSERT INTO conversation (conversation_id, tenant, user_id, title, temporary)
    VALUES (%(conversation_id)s, %(tenant)s, %(user_id)s, %(title)s, %(temporary)s)
), new_run AS (
    INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, request_digest,
                     lease_owner, lease_until)
    VALUES (%(run_id)s, %(conversation_id)s, %(tenant)s, %(user_id)s, %(message_id)s, 'running', %(digest)s,
            %(lease_owner)s, now() + make_interval(secs => %(lease_s)s))
), new_message AS (
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content)
    VALUES (%(message_id)s, %(conversation_id)s, %(run_id)s, %(tenant)s, %(user_id)s, 'user', %(message)s)
)
SELECT %(run_id)s::text AS run_id, %(temporary)s::boolean AS temporary, 0 AS chosen, NULL AS floor,
       '[]'::jsonb AS history, """
    + PROFILE
    + """ AS profile
"""
)

START_NEW: Final = _START_HEAD + NEW_CONVERSATION + _START_TAIL
START_OLD: Final = _START_HEAD + OLD_CONVERSATION + _START_TAIL

CONTEXT: Final = (
    "SELECT "
    + HISTORY
    + """ AS history,
       (SELECT epoch || '-' || last_offset FROM run WHERE conversation_id = %(conversation_id)s
            AND last_offset IS NOT NULL ORDER BY position DESC LIMIT 1) AS floor"""
)

CONTEXT_LIMITS: Final = {"messages": HISTORY_MESSAGES, "with_blocks": HISTORY_WITH_BLOCKS}

_RUN_COLUMNS: Final = (
    "SELECT run_id, conversation_id, status, attempt, intent, agent, error_code, error_text, error_retry, usage, "
    "created_at, finished_at, request_digest FROM run "
)
RUN_OF_OWNER: Final = _RUN_COLUMNS + "WHERE run_id = %s AND tenant = %s AND user_id = %s"
RUN_OF_KEY: Final = _RUN_COLUMNS + "WHERE idempotency_key = %s AND tenant = %s AND user_id = %s"

# The quick replies of a conversation's last run, as long as none was chosen and nothing else numbered was shown.
OPEN_SUGGESTIONS: Final = """
    WITH last AS (SELECT run_id FROM run WHERE conversation_id = %s AND tenant = %s AND user_id = %s
                  ORDER BY position DESC LIMIT 1)
    SELECT suggestion_id FROM suggestion s JOIN last USING (run_id)
    WHERE NOT EXISTS (SELECT FROM suggestion o JOIN last USING (run_id) WHERE o.chosen_by_run IS NOT NULL)
      AND NOT EXISTS (SELECT FROM message m JOIN last USING (run_id), jsonb_array_elements(m.blocks) AS block
                      WHERE block ->> 'type' IN ('jobs_data', 'job_match', 'application_status'))
    ORDER BY created_at, suggestion_id"""
