"""Conversations, messages, runs, classifications, quick replies, profile facts and jobs."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE conversation (
    conversation_id text PRIMARY KEY,
    tenant text NOT NULL,
    user_id text NOT NULL,
    title text NOT NULL DEFAULT '',
    temporary boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX conversation_owner ON conversation (tenant, user_id, updated_at DESC);

CREATE TABLE run (
    run_id text PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    conversation_id text NOT NULL REFERENCES conversation ON DELETE CASCADE,
    tenant text NOT NULL,
    user_id text NOT NULL,
    user_message_id text NOT NULL,
    status text NOT NULL CHECK (status IN
        ('pending', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'dead')),
    idempotency_key text,
    request_digest text NOT NULL,
    lease_owner text,
    lease_token bigint NOT NULL DEFAULT 1,
    lease_until timestamptz,
    attempt integer NOT NULL DEFAULT 1,
    cancel_requested boolean NOT NULL DEFAULT false,
    epoch text,
    first_offset bigint,
    last_offset bigint,
    intent text,
    agent text,
    usage jsonb,
    error_code text,
    error_text text,
    error_retry boolean,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE UNIQUE INDEX run_idempotency ON run (tenant, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX run_conversation ON run (conversation_id, position);
CREATE INDEX run_unfinished ON run (lease_until) WHERE status IN ('pending', 'running');

CREATE TABLE message (
    message_id text PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    conversation_id text NOT NULL REFERENCES conversation ON DELETE CASCADE,
    run_id text NOT NULL,
    tenant text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL CHECK (role IN ('user', 'assistant')),
    content text NOT NULL,
    status text NOT NULL DEFAULT 'complete' CHECK (status IN ('complete', 'partial')),
    agent text,
    blocks jsonb NOT NULL DEFAULT '[]',
    citations jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX message_conversation ON message (conversation_id, position);

CREATE TABLE classification (
    run_id text PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    tenant text NOT NULL,
    user_id text NOT NULL,
    text text NOT NULL,
    intent text NOT NULL,
    confidence double precision NOT NULL,
    source text NOT NULL,
    alternatives jsonb NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('routed', 'clarified', 'chosen', 'chose_other')),
    chosen_intent text,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE suggestion (
    suggestion_id text PRIMARY KEY,
    run_id text NOT NULL REFERENCES run ON DELETE CASCADE,
    conversation_id text NOT NULL REFERENCES conversation ON DELETE CASCADE,
    tenant text NOT NULL,
    user_id text NOT NULL,
    label text NOT NULL,
    message text NOT NULL,
    intent text,
    chosen_by_run text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX suggestion_run ON suggestion (run_id);

CREATE TABLE profile_fact (
    fact_id text PRIMARY KEY,
    tenant text NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('fact', 'preference', 'constraint')),
    key text NOT NULL,
    value text NOT NULL,
    source_message_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
CREATE UNIQUE INDEX profile_fact_current ON profile_fact (tenant, user_id, key, lower(value))
    WHERE retired_at IS NULL;

CREATE TABLE job (
    job_id text PRIMARY KEY,
    tenant text NOT NULL DEFAULT 'public',
    source text NOT NULL,
    external_id text NOT NULL,
    title text NOT NULL,
    company text NOT NULL,
    location text,
    country text,
    remote boolean,
    category text,
    employment_type text,
    seniority text,
    salary_min double precision,
    salary_max double precision,
    salary_period text,
    currency text,
    salary_year_min double precision,
    salary_year_max double precision,
    posted_at date,
    closes_at date,
    url text,
    description text NOT NULL DEFAULT '',
    requirements text NOT NULL DEFAULT '',
    skills text[] NOT NULL DEFAULT '{}',
    sample boolean NOT NULL DEFAULT false,
    digest text NOT NULL,
    embedding vector(384) STORAGE PLAIN,
    ingested_at timestamptz NOT NULL DEFAULT now(),
    search tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A')
        || setweight(to_tsvector('english',
            company || ' ' || coalesce(category, '') || ' ' || coalesce(location, '')), 'B')
        || setweight(to_tsvector('english', left(requirements, 20000)), 'C')
        || setweight(to_tsvector('english', left(description, 60000)), 'D')) STORED,
    UNIQUE (tenant, source, external_id)
);
CREATE INDEX job_search ON job USING gin (search);
CREATE INDEX job_skills ON job USING gin (skills);
CREATE INDEX job_posted ON job (posted_at);
CREATE INDEX job_source ON job (tenant, source);
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    op.execute("DROP TABLE job, profile_fact, suggestion, classification, message, run, conversation CASCADE")
