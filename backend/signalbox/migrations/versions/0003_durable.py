"""Durable runs: steps that are only ever added, effects, approvals, pinned prompts and tools."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE pinned (
    digest text PRIMARY KEY,
    bundle jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE run
    ADD COLUMN model text,
    ADD COLUMN pins text,
    ADD COLUMN profile jsonb,
    ADD COLUMN started_at timestamptz,
    ADD COLUMN told boolean NOT NULL DEFAULT true,
    ADD COLUMN burials integer NOT NULL DEFAULT 0,
    ADD COLUMN rolled_back boolean NOT NULL DEFAULT false;
UPDATE run SET started_at = created_at WHERE status <> 'pending';
CREATE INDEX run_of_user_unfinished ON run (tenant, user_id, position) WHERE status IN ('pending', 'running');
CREATE INDEX run_waiting ON run (run_id) WHERE status = 'waiting';
CREATE INDEX message_run ON message (run_id);
CREATE INDEX suggestion_chosen ON suggestion (chosen_by_run) WHERE chosen_by_run IS NOT NULL;
CREATE INDEX suggestion_conversation ON suggestion (conversation_id);
CREATE INDEX run_untold ON run (finished_at) WHERE NOT told;
CREATE INDEX run_finished ON run (finished_at) WHERE finished_at IS NOT NULL AND pins IS NOT NULL;

CREATE TABLE run_step (
    run_id text NOT NULL REFERENCES run ON DELETE CASCADE,
    seq integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('model_turn', 'tool_result', 'approval', 'decision')),
    position text NOT NULL,
    attempt integer NOT NULL,
    began_at timestamptz NOT NULL,
    committed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    request_id text,
    payload json NOT NULL,
    log_epoch text,
    log_offset bigint,
    events jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (run_id, seq),
    CONSTRAINT run_step_position UNIQUE (run_id, position)
);

-- A step says what happened. Only erasing what it belongs to (a conversation, an old run) may remove it.
CREATE FUNCTION run_step_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('signalbox.erasing', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'run_step is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER run_step_only_grows BEFORE UPDATE OR DELETE ON run_step
    FOR EACH ROW EXECUTE FUNCTION run_step_only_grows();
CREATE TRIGGER run_step_never_truncated BEFORE TRUNCATE ON run_step
    FOR EACH STATEMENT EXECUTE FUNCTION run_step_only_grows();

CREATE TABLE effect (
    effect_key text PRIMARY KEY,
    run_id text NOT NULL REFERENCES run ON DELETE CASCADE,
    position text NOT NULL,
    tool text NOT NULL,
    class text NOT NULL CHECK (class IN ('idempotent', 'non_idempotent', 'irreversible')),
    arguments jsonb NOT NULL,
    tries integer NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('intended', 'done')),
    intended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    done_at timestamptz
);
CREATE INDEX effect_run ON effect (run_id, position);

CREATE TABLE approval (
    approval_id text PRIMARY KEY,
    run_id text NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant text NOT NULL,
    user_id text NOT NULL,
    position text NOT NULL,
    tool text NOT NULL,
    arguments json NOT NULL,
    digest text NOT NULL,
    risk text NOT NULL,
    expires_at timestamptz NOT NULL,
    decision text CHECK (decision IN ('approved', 'edited', 'rejected', 'expired')),
    edited json,
    note text NOT NULL DEFAULT '',
    decided_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (run_id, position)
);
CREATE INDEX approval_open ON approval (expires_at) WHERE decision IS NULL;
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    op.execute(
        "DROP TABLE approval, effect, run_step; DROP FUNCTION run_step_only_grows; "
        "DROP INDEX run_of_user_unfinished, run_finished, run_untold, run_waiting, message_run, suggestion_chosen, "
        "suggestion_conversation; "
        "ALTER TABLE run DROP COLUMN model, DROP COLUMN pins, DROP COLUMN profile, DROP COLUMN started_at, "
        "DROP COLUMN told, DROP COLUMN burials, DROP COLUMN rolled_back; DROP TABLE pinned"
    )
