"""The books of model calls, summaries of conversations, and what is known of each profile fact."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# No reference to the run: what was paid stays in the books when a conversation is deleted.
BOOKS = """
CREATE TABLE model_call (
    run_id text NOT NULL,
    position text NOT NULL,
    number integer NOT NULL,
    tenant text NOT NULL,
    user_id text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    tier text NOT NULL CHECK (tier IN ('cheap', 'standard', 'strong')),
    task text NOT NULL,
    agent text NOT NULL,
    outcome text NOT NULL,
    escalated boolean NOT NULL,
    control boolean NOT NULL,
    first_token_s double precision,
    duration_s double precision NOT NULL,
    input_tokens integer NOT NULL,
    cached_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    estimated boolean NOT NULL,
    cost_usd numeric(14, 8),
    kept boolean,
    called_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, position, number)
);
CREATE INDEX model_call_when ON model_call (called_at) INCLUDE (cost_usd);
CREATE INDEX model_call_user ON model_call (tenant, user_id, called_at) INCLUDE (cost_usd);
"""

SUMMARIES = """
CREATE TABLE conversation_summary (
    conversation_id text NOT NULL REFERENCES conversation ON DELETE CASCADE,
    version integer NOT NULL,
    tenant text NOT NULL,
    user_id text NOT NULL,
    upto bigint NOT NULL,
    content jsonb NOT NULL,
    changes jsonb NOT NULL DEFAULT '{}',
    made_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, version)
);
ALTER TABLE run ADD COLUMN summary_version integer;

-- A summary that tells of a message which is taken back goes with it, whoever deletes the message: the next one is
-- made from the version before.
CREATE FUNCTION forget_summaries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM conversation_summary s
    USING (SELECT conversation_id, min(position) AS first FROM gone GROUP BY conversation_id) AS taken
    WHERE s.conversation_id = taken.conversation_id AND s.upto >= taken.first;
    RETURN NULL;
END $$;
CREATE TRIGGER message_forget_summaries AFTER DELETE ON message
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_summaries();
"""

PROFILES = """
ALTER TABLE profile_fact
    ADD COLUMN confidence double precision NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    ADD COLUMN origin text NOT NULL DEFAULT 'said' CHECK (origin IN ('said', 'extracted', 'resume')),
    ADD COLUMN pinned boolean NOT NULL DEFAULT false,
    ADD COLUMN replaced_by text;
UPDATE profile_fact SET origin = 'resume' WHERE source_message_id LIKE 'cv\\_%%';

CREATE TABLE user_setting (
    tenant text NOT NULL,
    user_id text NOT NULL,
    remember boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, user_id)
);

-- That somebody was erased is known for a day and not who: what was under way for them then leaves nothing behind, and
-- what they had spent on that day, which their budget goes on counting.
CREATE TABLE erasure (
    owner_digest bytea PRIMARY KEY,
    erased_at timestamptz NOT NULL DEFAULT now(),
    spent_on date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    spent numeric(14, 8) NOT NULL DEFAULT 0
);
CREATE FUNCTION owner_digest(tenant text, user_id text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(convert_to(tenant || E'\\n' || user_id, 'UTF8'))
$$;
CREATE FUNCTION was_erased(tenant text, user_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM erasure e WHERE e.erased_at > now() - interval '1 day'
                   AND e.owner_digest = owner_digest(tenant, user_id))
$$;
CREATE FUNCTION spend_without_a_name(tenant text, user_id text, much numeric) RETURNS void LANGUAGE sql AS $$
    UPDATE erasure e SET spent_on = (now() AT TIME ZONE 'UTC')::date,
        spent = coalesce(much, 0) + CASE WHEN e.spent_on = (now() AT TIME ZONE 'UTC')::date THEN e.spent ELSE 0 END
    WHERE e.owner_digest = owner_digest(tenant, user_id)
$$;
-- The lock lets nobody delete the message before this transaction has ended: whoever erases then sees its row.
CREATE FUNCTION drop_what_comes_too_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.source_message_id LIKE 'm\\_%' THEN
        PERFORM FROM message WHERE message_id = NEW.source_message_id FOR KEY SHARE;
        IF NOT FOUND AND was_erased(NEW.tenant, NEW.user_id) THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- What replaces a fact is not late, however old the message that the first one came from.
CREATE TRIGGER profile_fact_too_late BEFORE INSERT ON profile_fact
    FOR EACH ROW WHEN (NEW.fact_id NOT LIKE 'f\\_edit\\_%') EXECUTE FUNCTION drop_what_comes_too_late();
CREATE TRIGGER application_too_late BEFORE INSERT ON application
    FOR EACH ROW EXECUTE FUNCTION drop_what_comes_too_late();
CREATE FUNCTION pay_without_a_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM run WHERE run_id = NEW.run_id FOR KEY SHARE;
    IF NOT FOUND AND was_erased(NEW.tenant, NEW.user_id) THEN
        -- An entry that is there already was counted when it came.
        IF NOT EXISTS (SELECT FROM model_call c WHERE c.run_id = NEW.run_id AND c.position = NEW.position
                       AND c.number = NEW.number) THEN
            PERFORM spend_without_a_name(NEW.tenant, NEW.user_id, NEW.cost_usd);
        END IF;
        NEW.user_id := '';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER model_call_without_a_name BEFORE INSERT ON model_call
    FOR EACH ROW EXECUTE FUNCTION pay_without_a_name();
"""


def upgrade() -> None:
    for tables in (BOOKS, SUMMARIES, PROFILES):
        op.execute(tables)


def downgrade() -> None:
    op.execute("DROP TRIGGER message_forget_summaries ON message; DROP FUNCTION forget_summaries")
    op.execute(
        "DROP TRIGGER profile_fact_too_late ON profile_fact; DROP TRIGGER application_too_late ON application; "
        "DROP FUNCTION drop_what_comes_too_late"
    )
    op.execute(
        "DROP TABLE model_call, conversation_summary, user_setting, erasure; "
        "DROP FUNCTION pay_without_a_name, spend_without_a_name, was_erased, owner_digest; "
        "ALTER TABLE run DROP COLUMN summary_version; "
        "ALTER TABLE profile_fact DROP COLUMN confidence, DROP COLUMN origin, DROP COLUMN pinned, "
        "DROP COLUMN replaced_by"
    )
