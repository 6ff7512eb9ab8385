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
    called_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, position, number)
);
CREATE INDEX model_call_when ON model_call (called_at);
CREATE INDEX model_call_user ON model_call (tenant, user_id, called_at);
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
"""


def upgrade() -> None:
    for tables in (BOOKS, SUMMARIES, PROFILES):
        op.execute(tables)


def downgrade() -> None:
    op.execute(
        "DROP TABLE model_call, conversation_summary, user_setting; ALTER TABLE run DROP COLUMN summary_version; "
        "ALTER TABLE profile_fact DROP COLUMN confidence, DROP COLUMN origin, DROP COLUMN pinned, "
        "DROP COLUMN replaced_by"
    )
