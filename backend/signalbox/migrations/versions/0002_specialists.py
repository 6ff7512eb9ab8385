"""What the specialists work with: guides, companies, wage tables, applications, CVs; several answers a run."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KNOWLEDGE = """
CREATE TABLE document (
    document_id text PRIMARY KEY,
    tenant text NOT NULL DEFAULT 'public',
    source text NOT NULL,
    path text NOT NULL,
    title text NOT NULL,
    url text,
    version text NOT NULL DEFAULT '',
    topics text[] NOT NULL DEFAULT '{}',
    published_on date,
    digest text NOT NULL,
    ingested_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, source, path)
);

CREATE TABLE passage (
    passage_id text PRIMARY KEY,
    document_id text NOT NULL REFERENCES document ON DELETE CASCADE,
    tenant text NOT NULL DEFAULT 'public',
    source text NOT NULL,
    position integer NOT NULL,
    heading text NOT NULL DEFAULT '',
    content text NOT NULL,
    digest text NOT NULL,
    duplicate boolean NOT NULL DEFAULT false,
    embedding vector(384) STORAGE PLAIN NOT NULL,
    search tsvector NOT NULL
);
CREATE INDEX passage_search ON passage USING gin (search);
CREATE INDEX passage_document ON passage (document_id, position);
CREATE INDEX passage_content ON passage (tenant, source, digest);
"""

COMPANIES = """
CREATE TABLE company (
    company_id text PRIMARY KEY,
    tenant text NOT NULL DEFAULT 'public',
    source text NOT NULL,
    external_id text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    site text,
    careers_url text,
    region text,
    technologies text[] NOT NULL DEFAULT '{}',
    size_min integer,
    size_max integer,
    founded integer,
    remote_policy text,
    description text NOT NULL DEFAULT '',
    facts jsonb NOT NULL DEFAULT '[]',
    as_of date,
    url text,
    digest text NOT NULL,
    ingested_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, source, external_id)
);
CREATE INDEX company_name ON company (tenant, name_key text_pattern_ops);
CREATE INDEX company_name_joined ON company (tenant, replace(name_key, ' ', ''));
CREATE INDEX company_technologies ON company USING gin (technologies);
"""

WAGES = """
CREATE TABLE wage (
    wage_id text PRIMARY KEY,
    tenant text NOT NULL DEFAULT 'public',
    source text NOT NULL,
    occupation text NOT NULL,
    occupation_code text NOT NULL DEFAULT '',
    aliases text[] NOT NULL DEFAULT '{}',
    area text NOT NULL,
    country text,
    currency text NOT NULL,
    period text NOT NULL,
    employed bigint,
    mean double precision,
    p10 double precision,
    p25 double precision,
    p50 double precision,
    p75 double precision,
    p90 double precision,
    as_of date,
    url text,
    digest text NOT NULL,
    embedding vector(384) STORAGE PLAIN,
    ingested_at timestamptz NOT NULL DEFAULT now(),
    search tsvector GENERATED ALWAYS AS (to_tsvector('english', occupation)) STORED,
    UNIQUE NULLS NOT DISTINCT (tenant, source, occupation_code, occupation, area, country, period)
);
CREATE INDEX wage_search ON wage USING gin (search);
"""

APPLICATIONS = """
CREATE TABLE application (
    application_id text PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    user_id text NOT NULL,
    company text NOT NULL,
    title text NOT NULL DEFAULT '',
    job_id text,
    contact text NOT NULL DEFAULT '',
    status text NOT NULL CHECK (status IN
        ('applied', 'acknowledged', 'interview', 'offer', 'rejected', 'withdrawn', 'accepted')),
    applied_on date,
    last_contact_on date,
    source_message_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX application_owner ON application (tenant, user_id, position);

CREATE TABLE application_event (
    application_id text NOT NULL REFERENCES application ON DELETE CASCADE,
    position bigint GENERATED ALWAYS AS IDENTITY,
    happened_on date NOT NULL,
    status text NOT NULL,
    note text NOT NULL DEFAULT '',
    source_message_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application_id, position)
);
"""

RESUMES = """
CREATE TABLE resume (
    resume_id text PRIMARY KEY,
    tenant text NOT NULL,
    user_id text NOT NULL,
    file_name text NOT NULL DEFAULT '',
    media_type text NOT NULL,
    content jsonb NOT NULL,
    digest text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
CREATE UNIQUE INDEX resume_current ON resume (tenant, user_id) WHERE retired_at IS NULL;

CREATE TABLE profile_undo (
    tenant text NOT NULL,
    user_id text NOT NULL,
    change_id text NOT NULL,
    changed_at timestamptz NOT NULL,
    undone_at timestamptz NOT NULL DEFAULT now(),
    result jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant, user_id, change_id)
);
"""


# Of a run's quick replies one is chosen, whoever presses which button when.
ONE_CHOICE = "CREATE UNIQUE INDEX suggestion_choice ON suggestion (run_id) WHERE chosen_by_run IS NOT NULL"


def upgrade() -> None:
    op.execute(ONE_CHOICE)
    for tables in (KNOWLEDGE, COMPANIES, WAGES, APPLICATIONS, RESUMES):
        op.execute(tables)


def downgrade() -> None:
    op.execute("DROP INDEX suggestion_choice")
    op.execute("DROP TABLE profile_undo, resume, application_event, application, wage, company CASCADE")
    op.execute("DROP TABLE passage, document CASCADE")
